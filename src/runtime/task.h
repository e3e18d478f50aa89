#pragma once
// A request on its way through an instance pool.

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/call.h"
#include "runtime/execution.h"
#include "runtime/row_tokens.h"

namespace kefu::runtime {

/// Owned by whoever asks and by the pool; the pool calls finish() exactly once.
class Task {
 public:
  virtual ~Task() = default;

  /// At least one. Called once, by InstancePool::submit().
  virtual RowTokens rows() const = 0;

  /// Rows of one group may run together; those of others in the same batch run after them.
  virtual std::uint64_t group() const { return 0; }

  /// The outcome. An error: kDeadlineExceeded, kUnavailable (the queue's timeout, or the pool closes),
  /// kCancelled, kResourceExhausted or kInvalidArgument (not accepted), or the instance's. Called without
  /// locks, on an instance's thread, the pool's timer's, or that of submit() or cancel(); must not block.
  virtual void finish(Result<void> outcome) = 0;

  Call call;        // how it wants to be treated
  Moments moments;  // set by the pool, and by it left in the call, before finish()
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

  /// Runs rows of one group and leaves each one's result in its task. Rows of one task may run on several
  /// instances at once, so a task keeps them apart. Sets copied_in and computed of `execution`, whose other
  /// members are the pool's. An error is that of every task that has a row here.
  virtual Result<void> run(std::span<const TaskRow> rows, Execution& execution) = 0;
};

}  // namespace kefu::runtime
