#pragma once
// The instances of one model: a queue, and a thread for each.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/batcher.h"
#include "runtime/statistics.h"
#include "runtime/task.h"

namespace kefu::runtime {

/// Thread-safe. A batch is formed when an instance is free to run it, so what arrives meanwhile goes along.
class InstancePool {
 public:
  /// Makes an instance, on its own thread. Blocks while the engine prepares it.
  using Factory = std::function<Result<std::unique_ptr<Instance>>()>;

  /// Starts `count` instances and waits until all are there. The error of the first that fails.
  static Result<std::unique_ptr<InstancePool>> start(BatchPolicy policy, std::size_t count,
                                                     const Factory& make);

  /// close(), then waits for the instances. Not on an instance's thread.
  ~InstancePool();

  InstancePool(const InstancePool&) = delete;
  InstancePool& operator=(const InstancePool&) = delete;

  /// Queues a task and returns at once. The id is for cancel(); the task may be finished before this returns.
  RequestId submit(TaskPtr task);

  /// Finishes the task with kCancelled, unless it is finished already. Rows that run go on, the others never
  /// start.
  void cancel(RequestId id);

  /// Accepts nothing more; what was accepted still runs.
  void close();

  std::size_t instances() const { return threads_.size(); }
  const BatchPolicy& policy() const { return batcher_.policy(); }

  /// Of all tasks that have been submitted, whether they were accepted or not.
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Active {
    TaskPtr task;
    std::size_t rows_left;  // that have not been computed
  };
  /// Rows of one group, and where in the batch they stand.
  struct Run {
    std::vector<TaskRow> rows;
    std::vector<BatchRow> of;
  };
  using Outcomes = std::vector<std::pair<TaskPtr, Result<void>>>;

  explicit InstancePool(BatchPolicy policy) : statistics_(policy.max_rows), batcher_(std::move(policy)) {}
  void work(Instance& instance);
  void keep_time();
  std::optional<Batch> wait_for_batch(std::unique_lock<std::mutex>& lock);
  bool announce_expired(std::unique_lock<std::mutex>& lock, Time now);
  std::vector<Run> runs_of(const Batch& batch);
  void drop_ended(Run& run) const;
  void execute(Instance& instance, const Run& run);
  void settle(const Run& run, const Execution& execution, const Result<void>& outcome);
  void end(RequestId id, Result<void> outcome, Outcomes& outcomes);
  void announce(Outcomes outcomes);
  void show_waiting();

  Statistics statistics_;
  mutable std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable time_came_;
  Batcher batcher_;
  std::unordered_map<RequestId, Active> active_;  // accepted and not finished
  RequestId next_id_ = 1;
  bool closed_ = false;
  std::vector<std::thread> threads_;
  std::thread timer_;
};

}  // namespace kefu::runtime
