#include "hosting/served_nlu.h"

#include <algorithm>

#include <boost/asio/post.hpp>

#include "hosting/nlu_infer.h"
#include "hosting/submit_task.h"

namespace kefu::hosting {
namespace {

/// Reading the encoder's weights once costs about as much as this many tokens, so a run is worth saving only
/// while the padding that saves it is less.
constexpr std::size_t kRunTokens = 20;

/// Up to here the caller's thread tokenises.
constexpr std::size_t kInlineBytes = 2048;

/// More rows a run gain little speed on a CPU and make the others in the batch wait.
constexpr std::size_t kMaxTexts = 8;
constexpr std::size_t kMaxTokens = 4096;

runtime::BatchPolicy nlu_policy(const nlu::NluModel& model, const ModelSettings& settings) {
  runtime::BatchPolicy policy = common_policy(settings);
  policy.max_rows = std::max<std::size_t>(settings.max_batch_size.value_or(kMaxTexts), 1);
  policy.max_tokens = settings.max_batch_tokens.value_or(kMaxTokens);
  policy.buckets = runtime::cpu_buckets(model.encoder().encoder()->max_tokens());
  policy.free_padding = kRunTokens;
  policy.promote = runtime::Duration::max();
  return policy;
}

class ServedNlu final : public ServedModel, public std::enable_shared_from_this<ServedNlu> {
 public:
  ServedNlu(std::shared_ptr<const nlu::NluModel> model, ModelDescription description, NluHost& host,
            std::unique_ptr<runtime::InstancePool> pool)
      : ServedModel(description.intents.size()),
        model_(std::move(model)),
        description_(std::move(description)),
        host_(host),
        pool_(std::move(pool)) {}

  const ModelDescription& description() const override { return description_; }
  runtime::StatisticsSnapshot statistics() const override { return pool_->statistics().snapshot(); }

  void infer(oip::InferRequest request, const runtime::Call& call, InferDone done) override {
    infer_nlu(*this, request, host_.max_text_code_points, call, std::move(done));
  }

  void parse(std::vector<nlu::ParseRequest> texts, const runtime::Call& call, nlu::ParseDone done) override {
    std::size_t bytes = 0;
    for (const nlu::ParseRequest& text : texts) bytes += text.text.size();
    tokenize_on(
        bytes, [self = shared_from_this(), texts = std::move(texts), call, done = std::move(done)]() mutable {
          self->submit(std::move(texts), call, std::move(done));
        });
  }

  void embed(std::vector<std::string> texts, const runtime::Call& call, nlu::EmbedDone done) override {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    tokenize_on(
        bytes, [self = shared_from_this(), texts = std::move(texts), call, done = std::move(done)]() mutable {
          self->submit_embedding(texts, call, std::move(done));
        });
  }

 private:
  /// Here, or if there is much to tokenise on a thread for that.
  template <class Work>
  void tokenize_on(std::size_t bytes, Work work) {
    if (bytes <= kInlineBytes) return work();
    boost::asio::post(host_.tokenizing, std::move(work));
  }

  void submit_embedding(const std::vector<std::string>& texts, const runtime::Call& call,
                        nlu::EmbedDone done) {
    const nlu::TextEncoder& encoder = model_->encoder();
    std::vector<nlu::TokenizedText> tokens;
    tokens.reserve(texts.size());
    for (const std::string& text : texts) tokens.push_back(encoder.tokenize(text));
    auto task = std::make_shared<nlu::EmbedTask>(
        encoder, std::move(tokens), call,
        [self = shared_from_this(), done = std::move(done)](Result<nlu::Embeddings> embeddings) {
          done(std::move(embeddings));
        });
    submit_task(*pool_, std::move(task), call, weak_from_this());
  }

  void submit(std::vector<nlu::ParseRequest> texts, const runtime::Call& call, nlu::ParseDone done) {
    std::vector<nlu::PreparedText> prepared;
    prepared.reserve(texts.size());
    for (nlu::ParseRequest& text : texts) prepared.push_back(model_->prepare(std::move(text)));
    const bool is_empty =
        std::ranges::all_of(prepared, [](const nlu::PreparedText& text) { return text.windows.empty(); });
    auto task = std::make_shared<nlu::ParseTask>(
        model_, std::move(prepared), call,
        [self = shared_from_this(), is_judged = call.is_judged,
         done = std::move(done)](Result<std::vector<nlu::ParseReply>> replies) {
          if (replies) self->note(*replies, is_judged);
          done(std::move(replies));
        });
    if (is_empty) return task->finish({});
    submit_task(*pool_, std::move(task), call, weak_from_this());
  }

  void note(const std::vector<nlu::ParseReply>& replies, bool is_judged) {
    for (const nlu::ParseReply& reply : replies) {
      if (reply.truncated) record().truncated();
      if (!is_judged) continue;
      const auto best = std::ranges::max_element(reply.scores) - reply.scores.begin();
      record().predicted(reply.out_of_scope.decision ? std::nullopt
                                                     : std::optional(static_cast<std::size_t>(best)));
    }
  }

  std::shared_ptr<const nlu::NluModel> model_;
  ModelDescription description_;
  NluHost& host_;
  std::unique_ptr<runtime::InstancePool> pool_;
};

}  // namespace

Result<ModelRef> serve_nlu(std::shared_ptr<const nlu::NluModel> model, ModelSettings settings, NluHost& host,
                           Reaper& reaper) {
  const runtime::BatchPolicy policy = nlu_policy(*model, settings);
  KEFU_ASSIGN(auto pool, runtime::InstancePool::start(policy, instances_of(settings), [model] {
                return nlu::WindowInstance::create(model->encoder());
              }));
  ModelDescription description{
      .digest = model->manifest().digest, .settings = std::move(settings), .max_batch_size = policy.max_rows};
  for (const nlu::IntentLabel& intent : model->heads().intents) description.intents.push_back(intent.name);
  description.metadata =
      nlu_metadata(model->manifest().name, model->manifest().version, description.intents.size());
  return reaper.own(
      std::make_unique<ServedNlu>(std::move(model), std::move(description), host, std::move(pool)));
}

}  // namespace kefu::hosting
