#include "nlu/nlu_runtime.h"

#include <algorithm>
#include <numeric>

#include <boost/asio/post.hpp>

#include "nlu/parse_task.h"

namespace kefu::nlu {
namespace {

/// Reading the encoder's weights once costs about as much as this many tokens, so a run is worth saving only
/// while the padding that saves it is less.
constexpr std::size_t kRunTokens = 20;

/// Up to here the caller's thread tokenises.
constexpr std::size_t kInlineBytes = 2048;

runtime::BatchPolicy policy_for(const NluModel& model, const BatchingSettings& settings) {
  runtime::BatchPolicy policy;
  policy.max_rows = settings.max_batch;
  policy.max_tokens = settings.max_batch_tokens;
  policy.window = std::chrono::milliseconds(settings.window_ms);
  policy.buckets = runtime::cpu_buckets(model.encoder().encoder()->max_tokens());
  policy.free_padding = kRunTokens;
  policy.promote = runtime::Duration::max();
  policy.levels[0].max_requests = settings.max_queue;
  return policy;
}

}  // namespace

Result<std::unique_ptr<NluRuntime>> NluRuntime::start(std::vector<std::shared_ptr<const NluModel>> models,
                                                      const BatchingSettings& settings) {
  std::unique_ptr<NluRuntime> service(new NluRuntime);
  for (auto& model : models) {
    KEFU_ASSIGN(auto pool, runtime::InstancePool::start(policy_for(*model, settings), settings.instances,
                                                        [&model] { return ParseInstance::create(model); }));
    service->served_.push_back({std::move(model), std::move(pool)});
  }
  return service;
}

NluRuntime::~NluRuntime() {
  closing_ = true;
  tokenizing_.join();
  for (const Served& served : served_) served.pool->close();
}

Result<const NluRuntime::Served*> NluRuntime::find(std::string_view model) const {
  if (model.empty()) return &served_.front();
  const auto found = std::ranges::find(
      served_, model, [](const Served& served) -> std::string_view { return served.model->manifest().name; });
  if (found != served_.end()) return &*found;
  std::string known;
  for (const Served& served : served_) known += (known.empty() ? "" : ", ") + served.model->manifest().name;
  return fail(Code::kNotFound, "Request for unknown model: '{}'; loaded: {}", model, known);
}

void NluRuntime::parse(std::string_view model, std::vector<ParseRequest> texts, Done done) {
  const auto received = std::chrono::steady_clock::now();
  const auto served = find(model);
  if (!served) return done(tl::unexpected(served.error()));
  if (closing_) return done(fail(Code::kUnavailable, "the server is shutting down; ask another replica"));
  std::size_t bytes = 0;
  for (const ParseRequest& text : texts) bytes += text.text.size();
  if (bytes <= kInlineBytes) return submit(**served, std::move(texts), received, std::move(done));
  boost::asio::post(tokenizing_,
                    [served = *served, texts = std::move(texts), received, done = std::move(done)]() mutable {
                      submit(*served, std::move(texts), received, std::move(done));
                    });
}

void NluRuntime::submit(const Served& served, std::vector<ParseRequest> texts, runtime::Time received,
                        Done done) {
  std::vector<PreparedText> prepared;
  prepared.reserve(texts.size());
  for (ParseRequest& text : texts) prepared.push_back(served.model->prepare(std::move(text)));
  const bool is_empty =
      std::ranges::all_of(prepared, [](const PreparedText& text) { return text.windows.empty(); });
  auto task = std::make_shared<ParseTask>(served.model, std::move(prepared), received, std::move(done));
  if (is_empty) return task->finish({});
  served.pool->submit(std::move(task));
}

Result<ModelDescription> NluRuntime::describe(std::string_view model) const {
  KEFU_ASSIGN(const Served* served, find(model));
  ModelDescription description{{served->model->manifest().name, served->model->manifest().version}, {}};
  for (const IntentLabel& intent : served->model->heads().intents) description.intents.push_back(intent.name);
  return description;
}

std::vector<ModelName> NluRuntime::models() const {
  std::vector<ModelName> names;
  for (const Served& served : served_)
    names.push_back({served.model->manifest().name, served.model->manifest().version});
  return names;
}

}  // namespace kefu::nlu
