#pragma once
// The instances of one model: a queue, and a thread for each.

#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/batcher.h"
#include "runtime/instance_controller.h"
#include "runtime/statistics.h"
#include "runtime/task.h"
#include "runtime/wakeups.h"

namespace kefu::runtime {

/// Thread-safe. A batch is formed when an instance is free to run it, so what arrives meanwhile goes along.
class InstancePool {
 public:
  /// Makes an instance, on its own thread. Blocks while the engine prepares it. Kept as long as the pool.
  using Factory = std::function<Result<std::unique_ptr<Instance>>()>;

  /// Starts the fewest instances and waits until all are there; an InstanceController says from then on how
  /// many. The error of the first that fails; one that fails later is logged, and tried again after
  /// kRetryAfter.
  static Result<std::unique_ptr<InstancePool>> start(BatchPolicy policy, const InstancePolicy& instances,
                                                     Factory make);
  /// A fixed number of them.
  static Result<std::unique_ptr<InstancePool>> start(BatchPolicy policy, std::size_t instances,
                                                     Factory make) {
    return start(std::move(policy), {.min = instances, .max = instances}, std::move(make));
  }

  static constexpr std::chrono::seconds kRetryAfter{30};

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
  /// Outlives the pool where a thread has yet to wake it.
  struct WorkCame final : Wakeup {
    void wake() override { condition.notify_one(); }
    std::condition_variable condition;
  };
  using Outcomes = std::vector<std::pair<TaskPtr, Result<void>>>;

  InstancePool(BatchPolicy policy, const InstancePolicy& instances, Factory make)
      : is_elastic_(instances.min < instances.max),
        make_(std::move(make)),
        statistics_(policy.max_rows),
        controller_(instances),
        batcher_(std::move(policy)) {}
  void add_instance(std::promise<Result<void>> started);
  void work(Instance& instance);
  bool is_superfluous() const { return serving_ > controller_.wanted(); }
  void keep_time();
  void observe(std::unique_lock<std::mutex>& lock, Time now);
  void grow(Time now);
  void join_ended();
  std::optional<Batch> wait_for_batch(std::unique_lock<std::mutex>& lock);
  bool announce_expired(std::unique_lock<std::mutex>& lock, Time now);
  std::vector<Run> runs_of(const Batch& batch);
  void drop_ended(Run& run) const;
  void execute(Instance& instance, const Run& run);
  void settle(const Run& run, const Execution& execution, const Result<void>& outcome);
  void end(RequestId id, Result<void> outcome, Outcomes& outcomes);
  void announce(Outcomes outcomes);
  void show_waiting();

  const bool is_elastic_;
  const Factory make_;
  Statistics statistics_;
  mutable std::mutex mutex_;
  std::shared_ptr<WorkCame> work_came_ = std::make_shared<WorkCame>();
  std::condition_variable time_came_;
  InstanceController controller_;
  StatisticsSnapshot observed_;  // when the controller was last asked
  Time observed_at_{};
  Time retry_at_{};          // of an instance that could not be made
  std::size_t serving_ = 0;  // instances
  std::size_t starting_ = 0;
  Batcher batcher_;
  absl::flat_hash_map<RequestId, Active> active_;  // accepted and not finished
  RequestId next_id_ = 1;
  bool closed_ = false;
  std::list<std::thread> threads_;      // of instances
  std::vector<std::thread::id> ended_;  // those of them that may be joined
  std::thread timer_;
};

}  // namespace kefu::runtime
