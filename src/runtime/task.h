#pragma once
// A request on its way through an instance pool.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/batch_policy.h"

namespace kefu::runtime {

/// Moments of a request; phases are their differences. Those of a request of many rows are its first row's.
struct Moments {
  Time queued;    // it began to wait
  Time taken;     // an instance took it
  Time computed;  // the engine had run
};

/// Owned by whoever asks and by the pool; the pool calls finish() exactly once.
class Task {
 public:
  virtual ~Task() = default;

  /// Tokens of each row, at least one row. Called once, by InstancePool::submit().
  virtual std::vector<std::uint32_t> rows() const = 0;

  /// The outcome. An error: kDeadlineExceeded, kUnavailable (the queue's timeout, or the pool closes),
  /// kCancelled, kResourceExhausted or kInvalidArgument (not accepted), or the instance's. Called without
  /// locks, on an instance's thread, the pool's timer's, or that of submit() or cancel(); must not block.
  virtual void finish(Result<void> outcome) = 0;

  std::size_t level = 0;         // of priority, 1 the highest; 0: the default
  std::optional<Time> deadline;  // after which the answer is of no use
  Duration timeout{0};           // longest wait in the queue; 0: the level's
  Moments moments;               // set by the pool and its instances before finish()
};

using TaskPtr = std::shared_ptr<Task>;

/// A row of a task.
struct TaskRow {
  TaskPtr task;
  std::uint32_t row;
};

/// Computes rows; an execution context and its buffers. One thread at a time.
class Instance {
 public:
  virtual ~Instance() = default;

  /// Leaves each row's result in its task. Rows of one task may run on several instances at once, so a task
  /// keeps them apart. An error is that of every task in the batch.
  virtual Result<void> run(std::span<const TaskRow> rows) = 0;
};

}  // namespace kefu::runtime
