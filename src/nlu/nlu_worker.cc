#include "nlu/nlu_worker.h"

#include <algorithm>
#include <utility>

#include "nlu/batch_choice.h"

namespace kefu::nlu {
namespace {

std::chrono::microseconds between(std::chrono::steady_clock::time_point from,
                                  std::chrono::steady_clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from);
}

/// The longest row a text brings, in tokens.
std::size_t longest_window(const PreparedText& text) {
  std::size_t longest = 0;
  for (const Window& window : text.windows) longest = std::max(longest, window.end - window.begin);
  return longest;
}

}  // namespace

Result<std::unique_ptr<NluWorker>> NluWorker::start(std::vector<std::shared_ptr<const NluModel>> models,
                                                    const WorkerSettings& settings) {
  std::vector<engine::EncoderSession> sessions;
  for (const auto& model : models) {
    KEFU_ASSIGN(auto session, engine::EncoderSession::create(model->encoder().encoder()));
    engine::TokenBatch batch;
    const TokenizedText text = model->encoder().tokenize("warm up");
    model->encoder().add_row(text, {0, text.ids.size()}, batch);
    KEFU_CHECK(session.encode(batch));
    sessions.push_back(std::move(session));
  }
  return std::unique_ptr<NluWorker>(new NluWorker(std::move(models), std::move(sessions), settings));
}

NluWorker::NluWorker(std::vector<std::shared_ptr<const NluModel>> models,
                     std::vector<engine::EncoderSession> sessions, const WorkerSettings& settings)
    : models_(std::move(models)),
      sessions_(std::move(sessions)),
      settings_(settings),
      thread_([this] { run(); }) {}

NluWorker::~NluWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void NluWorker::parse(std::string_view model, ParseRequest request, Done done) {
  const auto received = Clock::now();
  const auto found =
      model.empty() ? models_.begin()
                    : std::ranges::find(models_, model, [](const auto& m) { return m->manifest().name; });
  if (found == models_.end()) {
    std::string known;
    for (const auto& m : models_) known += (known.empty() ? "" : ", ") + m->manifest().name;
    done(fail(Code::kNotFound, "there is no model \"{}\"; loaded: {}", model, known));
    return;
  }
  Job job{static_cast<std::size_t>(found - models_.begin()), (*found)->prepare(std::move(request)),
          std::move(done), received, Clock::now()};
  if (job.text.windows.empty()) {
    job.done((*found)->decode(job.text, {}));
    return;
  }
  Code refusal{};
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && queue_.size() < settings_.max_queue) {
      queue_.push_back(std::move(job));
      wake_.notify_one();
      return;
    }
    refusal = stopping_ ? Code::kUnavailable : Code::kResourceExhausted;
  }
  job.done(refusal == Code::kUnavailable
               ? fail(refusal, "the server is shutting down; ask another replica")
               : fail(refusal, "{} requests wait already; retry after a second", settings_.max_queue));
}

std::vector<ModelName> NluWorker::models() const {
  std::vector<ModelName> names;
  for (const auto& model : models_) names.push_back({model->manifest().name, model->manifest().version});
  return names;
}

bool NluWorker::ready() const {
  const std::lock_guard lock(mutex_);
  return !stopping_;
}

void NluWorker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::vector<Job> batch = take_batch(lock);
    lock.unlock();
    execute(std::move(batch));
    lock.lock();
  }
}

/// The oldest request and, of those of its model, the nearest in length that fit beside it.
std::vector<NluWorker::Job> NluWorker::take_batch(std::unique_lock<std::mutex>& /*held*/) {
  const Job& oldest = queue_.front();
  std::vector<BatchCandidate> waiting;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    if (queue_[i].model == oldest.model)
      waiting.push_back({i, queue_[i].text.windows.size(), longest_window(queue_[i].text)});
  }
  std::vector<Job> batch;
  for (const std::size_t i :
       choose_batch(std::move(waiting), {settings_.max_batch, settings_.max_batch_tokens}))
    batch.push_back(std::exchange(queue_[i], {}));
  std::erase_if(queue_, [](const Job& job) { return !job.done; });
  return batch;
}

void NluWorker::execute(std::vector<Job> batch) {
  const auto taken = Clock::now();
  const NluModel& model = *models_[batch[0].model];
  engine::EncoderSession& session = sessions_[batch[0].model];
  engine::TokenBatch tokens;
  for (const Job& job : batch) {
    for (const Window& window : job.text.windows) model.encoder().add_row(job.text.tokens, window, tokens);
  }
  const auto outcome = session.encode(tokens);
  const auto encoded = Clock::now();
  std::size_t row = 0;
  for (Job& job : batch) {
    if (!outcome) {
      job.done(tl::unexpected(outcome.error()));
      continue;
    }
    const auto started = Clock::now();
    std::vector<engine::RowStates> states;
    for (std::size_t i = 0; i < job.text.windows.size(); ++i) states.push_back(session.row(row++));
    ParseReply reply = model.decode(job.text, states);
    reply.timings = {between(job.received, job.queued), between(job.queued, taken), between(taken, encoded),
                     between(started, Clock::now())};
    job.done(std::move(reply));
  }
}

}  // namespace kefu::nlu
