// The runtime with a model of two intents over the fake engine, whose states are the tokens' embeddings: a
// text of "a" means `alpha`, one of "e" means `epsilon`, whatever else shares its batch.

#include "nlu/nlu_runtime.h"

#include <future>
#include <latch>

#include <gtest/gtest.h>

#include "text/sample_tokenizers.h"

namespace kefu::nlu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHidden = 8;
constexpr std::size_t kMaxTokens = 128;  // more than the overlap of windows
constexpr std::size_t kIdOfE = 10;       // in the sample tokeniser
constexpr std::size_t kIdOfA = 12;

class English final : public text::LanguageIdentifier {
 public:
  text::Language identify(std::string_view /*utf8*/) const override { return {"en", 1}; }
};

/// An encoder folder with one dimension for "a" and one for "e"; every fail_every-th run fails.
std::shared_ptr<const TextEncoder> make_encoder(const std::string& name, int fail_every) {
  model::EncoderPackage package;
  package.folder = fs::path(testing::TempDir()) / ("kefu_runtime_" + name + std::to_string(fail_every));
  fs::create_directories(package.folder);
  package.tokenizer = *text::load_tokenizer_from_json(text::sample::kWordPiece, "sample");
  package.manifest.hidden = kHidden;
  package.manifest.max_tokens = kMaxTokens;
  package.manifest.table_format = "f32";
  package.manifest.table_rows = package.tokenizer->vocabulary_size();
  std::vector<float> table(package.manifest.table_rows * kHidden);
  table[kIdOfA * kHidden] = 1;
  table[kIdOfE * kHidden + 1] = 1;
  const auto bytes = std::as_bytes(std::span(table));
  EXPECT_TRUE(write_file(package.table(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  EXPECT_TRUE(write_file(package.graph(), Json{{"hidden", kHidden}, {"fail_every", fail_every}}.dump()));
  return *TextEncoder::load(std::move(package), "fake", {});
}

std::shared_ptr<const NluModel> make_model(const std::string& name, int fail_every = 0) {
  Heads heads;
  heads.intents = {{"alpha", ""}, {"epsilon", ""}};
  heads.centering.mean.assign(kHidden, 0);
  std::vector<float> weights(heads.intents.size() * kHidden);
  weights[0] = weights[kHidden + 1] = 4;
  heads.vectors = VectorHead(std::move(weights), {0, 0});
  heads.languages = {"none"};  // n-grams of no text are read
  heads.without_ngrams.scope.threshold = 1;
  model::NluManifest manifest;
  manifest.name = name;
  manifest.version = "1";
  return std::make_shared<const NluModel>(std::move(manifest), std::move(heads),
                                          make_encoder(name, fail_every), std::make_shared<English>());
}

std::unique_ptr<NluRuntime> start(std::vector<std::shared_ptr<const NluModel>> models,
                                  const BatchingSettings& settings = {}) {
  return *NluRuntime::start(std::move(models), settings);
}

using Answer = std::future<Result<ParseReply>>;

/// A second call of `done` would throw.
Answer ask(NluRuntime& runtime, std::string text, std::string_view model = "") {
  auto promise = std::make_shared<std::promise<Result<ParseReply>>>();
  Answer answer = promise->get_future();
  runtime.parse(model, {{.text = std::move(text), .language = "en"}},
                [promise](Result<std::vector<ParseReply>> replies) {
                  if (!replies) return promise->set_value(tl::unexpected(replies.error()));
                  promise->set_value(std::move(replies->front()));
                });
  return answer;
}

/// Keeps the runtime's thread in the reply to a first request, so that what follows waits in the queue.
class Hold {
 public:
  explicit Hold(NluRuntime& runtime, std::function<void()> then = {}) {
    runtime.parse("", {{.text = "a", .language = "en"}},
                  [this, then](const Result<std::vector<ParseReply>>&) {
                    held_.count_down();
                    release_.wait();
                    if (then) then();
                  });
    held_.wait();
  }
  void release() { release_.count_down(); }

 private:
  std::latch held_{1};
  std::latch release_{1};
};

TEST(NluRuntime, ManyThreadsGetTheirOwnAnswers) {
  const auto runtime =
      start({make_model("one"), make_model("two")}, {.max_batch = 4, .max_batch_tokens = 300});
  std::string several_windows;
  for (std::size_t i = 0; i < 2 * kMaxTokens; ++i) several_windows += "e ";
  const std::vector<std::pair<std::string, std::string>> texts{
      {"a", "alpha"}, {"e e e e", "epsilon"}, {"a a e", "alpha"}, {several_windows, "epsilon"}};
  std::vector<std::thread> clients;
  for (const char* model : {"one", "two", "one", "two"}) {
    clients.emplace_back([&, model] {
      std::vector<Answer> answers;
      for (std::size_t i = 0; i < 40; ++i)
        answers.push_back(ask(*runtime, texts[i % texts.size()].first, model));
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto reply = answers[i].get();
        ASSERT_TRUE(reply.has_value()) << reply.error().message;
        EXPECT_EQ(reply->text, texts[i % texts.size()].first);
        EXPECT_EQ(reply->intent.name, texts[i % texts.size()].second);
        EXPECT_EQ(reply->model, model);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(NluRuntime, LongTextsAreReadInWindows) {
  const auto runtime = start({make_model("one")});
  std::string text;
  for (std::size_t i = 0; i < 2 * kMaxTokens; ++i) text += "a ";
  EXPECT_EQ(ask(*runtime, text).get()->windows, 4U);  // 126 tokens, then 62 new ones a window
}

TEST(NluRuntime, TextsOfARequestAreAnsweredInTheirOrder) {
  const auto runtime = start({make_model("one")}, {.max_batch = 3, .max_queue = 1, .instances = 2});
  std::vector<ParseRequest> texts;
  std::string long_text;
  for (std::size_t i = 0; i < kMaxTokens; ++i) long_text += "e ";
  for (int i = 0; i < 50; ++i)
    texts.push_back({.text = i % 10 == 3  ? long_text
                             : i % 7 == 0 ? "?!"
                             : i % 2 == 0 ? "a"
                                          : "e",
                     .language = "en"});
  std::promise<Result<std::vector<ParseReply>>> promise;
  runtime->parse("one", texts,
                 [&](Result<std::vector<ParseReply>> replies) { promise.set_value(std::move(replies)); });
  const auto replies = promise.get_future().get();
  ASSERT_TRUE(replies.has_value()) << replies.error().message;
  ASSERT_EQ(replies->size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ((*replies)[i].text, texts[i].text);
    EXPECT_EQ((*replies)[i].intent.name, texts[i].text == "?!"  ? kFallbackIntent
                                         : texts[i].text == "a" ? "alpha"
                                                                : "epsilon");
    EXPECT_EQ((*replies)[i].scores.size(), 2U);
  }
}

TEST(NluRuntime, ShutdownAnswersWhatWaitsAndRefusesTheRest) {
  auto runtime = start({make_model("one")}, {.max_batch = 2});
  NluRuntime* const closing = runtime.get();
  Answer late;
  Hold hold(*runtime, [&] {
    while (closing->ready()) std::this_thread::yield();
    late = ask(*closing, "a");
  });
  std::vector<Answer> waiting;
  for (int i = 0; i < 7; ++i) waiting.push_back(ask(*runtime, "e"));
  hold.release();
  runtime.reset();
  for (Answer& answer : waiting) EXPECT_EQ(answer.get()->intent.name, "epsilon");
  EXPECT_EQ(late.get().error().code, Code::kUnavailable);
}

TEST(NluRuntime, AFullQueueRefuses) {
  const auto runtime = start({make_model("one")}, {.max_queue = 2});
  Hold hold(*runtime);
  Answer first = ask(*runtime, "a");
  Answer second = ask(*runtime, "e");
  EXPECT_EQ(ask(*runtime, "a").get().error().code, Code::kResourceExhausted);
  hold.release();
  EXPECT_EQ(first.get()->intent.name, "alpha");
  EXPECT_EQ(second.get()->intent.name, "epsilon");
}

TEST(NluRuntime, AFailedRunFailsItsBatchAndNoOther) {
  const auto runtime = start({make_model("one", 3)});  // run 1 warms up
  Hold hold(*runtime);                                 // run 2
  Answer first = ask(*runtime, "a");                   // run 3, together
  Answer second = ask(*runtime, "e");
  hold.release();
  EXPECT_EQ(first.get().error().code, Code::kInternal);
  EXPECT_EQ(second.get().error().code, Code::kInternal);
  EXPECT_EQ(ask(*runtime, "e").get()->intent.name, "epsilon");
}

TEST(NluRuntime, StartFailsWhenWarmingUpFails) {
  const auto started = NluRuntime::start({make_model("one", 1)}, {});
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Code::kInternal);
}

TEST(NluRuntime, SettingsThatContradictEachOtherAreRefused) {
  const auto started = NluRuntime::start({make_model("one")}, {.max_batch_tokens = kMaxTokens - 1});
  ASSERT_FALSE(started.has_value());
  EXPECT_NE(started.error().message.find("max_batch_tokens"), std::string::npos);
}

TEST(NluRuntime, AnswersAtOnceWithoutTheEncoder) {
  const auto runtime = start({make_model("one", 2)});  // any run would fail
  EXPECT_EQ(ask(*runtime, "?!").get()->intent.name, kFallbackIntent);
  const auto unknown = ask(*runtime, "a", "three").get();
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Code::kNotFound);
  EXPECT_NE(unknown.error().message.find("loaded: one"), std::string::npos);
}

}  // namespace
}  // namespace kefu::nlu
