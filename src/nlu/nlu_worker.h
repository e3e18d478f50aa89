#pragma once
// The one-worker NluService: a bounded queue and a thread that takes what waits as one batch.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "nlu/nlu_model.h"
#include "nlu/service.h"

namespace kefu::nlu {

struct WorkerSettings {
  std::size_t max_batch = 8;            // windows a run; more gain little speed and make the others wait
  std::size_t max_batch_tokens = 4096;  // padded tokens a run
  std::size_t max_queue = 1024;         // requests waiting
};

/// Owns its models and its thread; the destructor answers what is queued and joins.
class NluWorker final : public NluService {
 public:
  /// Starts the thread and runs each model once, so that the first request finds it warm. The first model
  /// is the default.
  static Result<std::unique_ptr<NluWorker>> start(std::vector<std::shared_ptr<const NluModel>> models,
                                                  const WorkerSettings& settings);
  ~NluWorker() override;

  void parse(std::string_view model, ParseRequest request, Done done) override;
  std::vector<ModelName> models() const override;
  bool ready() const override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    std::size_t model = 0;
    PreparedText text;
    Done done;
    Clock::time_point received;
    Clock::time_point queued;
  };

  NluWorker(std::vector<std::shared_ptr<const NluModel>> models, std::vector<engine::EncoderSession> sessions,
            const WorkerSettings& settings);

  void run();
  std::vector<Job> take_batch(std::unique_lock<std::mutex>& lock);
  void execute(std::vector<Job> batch);

  std::vector<std::shared_ptr<const NluModel>> models_;
  std::vector<engine::EncoderSession> sessions_;  // of the worker thread, one a model
  WorkerSettings settings_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> queue_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace kefu::nlu
