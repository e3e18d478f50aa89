// A model of two intents over the fake engine, whose states are the tokens' embeddings: a text of "a" means
// `alpha`, one of "e" means `epsilon`, whatever else shares its batch.

#include "hosting/served_nlu.h"

#include <future>
#include <latch>
#include <map>

#include <gtest/gtest.h>

#include "text/sample_tokenizers.h"

namespace kefu::hosting {
namespace {

using nlu::kFallbackIntent;
using nlu::NluModel;
using nlu::ParseReply;
using nlu::ParseRequest;

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
std::shared_ptr<const nlu::TextEncoder> make_encoder(const std::string& name, int fail_every) {
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
  return *nlu::TextEncoder::load(std::move(package), "fake", {});
}

std::shared_ptr<const NluModel> make_model(const std::string& name, int fail_every = 0) {
  nlu::Heads heads;
  heads.intents = {{"alpha", ""}, {"epsilon", ""}};
  heads.centering.mean.assign(kHidden, 0);
  std::vector<float> weights(heads.intents.size() * kHidden);
  weights[0] = weights[kHidden + 1] = 4;
  heads.vectors = nlu::VectorHead(std::move(weights), {0, 0});
  heads.languages = {"none"};  // n-grams of no text are read
  heads.without_ngrams.scope.threshold = 1;
  model::NluManifest manifest;
  manifest.name = name;
  manifest.version = "1";
  return std::make_shared<const NluModel>(std::move(manifest), std::move(heads),
                                          make_encoder(name, fail_every), std::make_shared<English>());
}

/// Of an instance, before it serves: one a bucket.
int warm_up_runs() {
  return static_cast<int>(runtime::cpu_buckets(kMaxTokens).size());
}

/// A model in service; ends when the test does.
class Service {
 public:
  explicit Service(std::shared_ptr<const NluModel> model, const ModelSettings& settings = {})
      : model_(*serve_nlu(std::move(model), settings, host_, reaper_)) {}

  ServedModel& operator*() { return *model_; }
  ServedModel* operator->() { return model_.get(); }
  /// Lets go of it; whatever waits still gets its answer.
  void reset() { model_.reset(); }

 private:
  NluHost host_;
  Reaper reaper_;
  ModelRef model_;
};

ModelSettings with_queue(std::size_t max_queue, std::size_t max_batch = 8, std::size_t instances = 1) {
  ModelSettings settings{.max_batch_size = max_batch, .instances = {.min = instances, .max = instances}};
  settings.levels.front().max_requests = max_queue;
  return settings;
}

using Answer = std::future<Result<ParseReply>>;

/// A second call of `done` would throw.
Answer ask(ServedModel& model, std::string text) {
  auto promise = std::make_shared<std::promise<Result<ParseReply>>>();
  Answer answer = promise->get_future();
  model.parse({{.text = std::move(text), .language = "en"}}, {},
              [promise](Result<std::vector<ParseReply>> replies) {
                if (!replies) return promise->set_value(tl::unexpected(replies.error()));
                promise->set_value(std::move(replies->front()));
              });
  return answer;
}

/// Keeps the model's thread in the reply to a first request, so that what follows waits in the queue.
class Hold {
 public:
  explicit Hold(ServedModel& model) {
    model.parse({{.text = "a", .language = "en"}}, {}, [this](const Result<std::vector<ParseReply>>&) {
      held_.count_down();
      release_.wait();
    });
    held_.wait();
  }
  void release() { release_.count_down(); }

 private:
  std::latch held_{1};
  std::latch release_{1};
};

TEST(ServedNlu, ManyThreadsGetTheirOwnAnswers) {
  const ModelSettings settings{.max_batch_size = 4, .max_batch_tokens = 300};
  std::map<std::string, Service> services;
  services.try_emplace("one", make_model("one"), settings);
  services.try_emplace("two", make_model("two"), settings);
  std::string several_windows;
  for (std::size_t i = 0; i < 2 * kMaxTokens; ++i) several_windows += "e ";
  const std::vector<std::pair<std::string, std::string>> texts{
      {"a", "alpha"}, {"e e e e", "epsilon"}, {"a a e", "alpha"}, {several_windows, "epsilon"}};
  std::vector<std::thread> clients;
  for (const char* model : {"one", "two", "one", "two"}) {
    clients.emplace_back([&, model] {
      std::vector<Answer> answers;
      for (std::size_t i = 0; i < 40; ++i)
        answers.push_back(ask(*services.at(model), texts[i % texts.size()].first));
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

TEST(ServedNlu, LongTextsAreReadInWindows) {
  Service service(make_model("one"));
  std::string text;
  for (std::size_t i = 0; i < 2 * kMaxTokens; ++i) text += "a ";
  EXPECT_EQ(ask(*service, text).get()->windows, 4U);  // 126 tokens, then 62 new ones a window
}

TEST(ServedNlu, TextsOfARequestAreAnsweredInTheirOrder) {
  Service service(make_model("one"), with_queue(1, 3, 2));
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
  service->parse(texts, {},
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

TEST(ServedNlu, AnswersWhatWaitsAfterItsLastHolderLetsGo) {
  Service service(make_model("one"), with_queue(100, 2));
  Hold hold(*service);
  std::vector<Answer> waiting;
  for (int i = 0; i < 7; ++i) waiting.push_back(ask(*service, "e"));
  service.reset();
  hold.release();
  for (Answer& answer : waiting) EXPECT_EQ(answer.get()->intent.name, "epsilon");
}

TEST(ServedNlu, CancelledTextsDoNotRun) {
  Service service(make_model("one"));
  Hold hold(*service);
  const runtime::Call call{.cancellation = std::make_shared<runtime::Cancellation>()};
  std::promise<Result<std::vector<ParseReply>>> promise;
  service->parse({{.text = "a", .language = "en"}}, call,
                 [&](Result<std::vector<ParseReply>> replies) { promise.set_value(std::move(replies)); });
  call.cancellation->cancel();
  EXPECT_EQ(promise.get_future().get().error().code, Code::kCancelled);
  hold.release();
  EXPECT_EQ(ask(*service, "e").get()->intent.name, "epsilon");
  EXPECT_EQ(service->statistics().inference_count, 2U);
}

TEST(ServedNlu, CountsRowsAndRuns) {
  Service service(make_model("one"), {.max_batch_size = 4});
  Hold hold(*service);
  std::vector<Answer> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(ask(*service, "e"));
  hold.release();
  for (Answer& answer : waiting) EXPECT_TRUE(answer.get());
  const runtime::StatisticsSnapshot all = service->statistics();
  EXPECT_EQ(all.inference_count, 5U);
  EXPECT_EQ(all.execution_count, 2U);
  EXPECT_EQ(all.success.count(), 5U);
  EXPECT_GE(all.success.sum, all.queue.sum + all.compute_infer.sum);
  EXPECT_EQ(all.batches.at(4).compute_infer.count, 1U);
}

TEST(ServedNlu, AFullQueueRefuses) {
  Service service(make_model("one"), with_queue(2));
  Hold hold(*service);
  Answer first = ask(*service, "a");
  Answer second = ask(*service, "e");
  EXPECT_EQ(ask(*service, "a").get().error().code, Code::kResourceExhausted);
  hold.release();
  EXPECT_EQ(first.get()->intent.name, "alpha");
  EXPECT_EQ(second.get()->intent.name, "epsilon");
}

TEST(ServedNlu, AFailedRunFailsItsBatchAndNoOther) {
  Service service(make_model("one", warm_up_runs() + 2));
  Hold hold(*service);                // the first run after those
  Answer first = ask(*service, "a");  // the second, together
  Answer second = ask(*service, "e");
  hold.release();
  EXPECT_EQ(first.get().error().code, Code::kInternal);
  EXPECT_EQ(second.get().error().code, Code::kInternal);
  EXPECT_EQ(ask(*service, "e").get()->intent.name, "epsilon");
}

TEST(ServedNlu, StartFailsWhenWarmingUpFails) {
  NluHost host;
  Reaper reaper;
  const auto started = serve_nlu(make_model("one", 1), {}, host, reaper);
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Code::kInternal);
}

TEST(ServedNlu, SettingsThatContradictEachOtherAreRefused) {
  NluHost host;
  Reaper reaper;
  const auto started = serve_nlu(make_model("one"), {.max_batch_tokens = kMaxTokens - 1}, host, reaper);
  ASSERT_FALSE(started.has_value());
  EXPECT_NE(started.error().message.find("max_batch_tokens"), std::string::npos);
}

TEST(ServedNlu, AnswersAtOnceWithoutTheEncoder) {
  Service service(make_model("one", warm_up_runs() + 1));  // any run would fail
  EXPECT_EQ(ask(*service, "?!").get()->intent.name, kFallbackIntent);
}

}  // namespace
}  // namespace kefu::hosting
