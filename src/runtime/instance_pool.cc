#include "runtime/instance_pool.h"

#include <future>
#include <utility>

namespace kefu::runtime {

Result<std::unique_ptr<InstancePool>> InstancePool::start(BatchPolicy policy, std::size_t count,
                                                          const Factory& make) {
  KEFU_CHECK(policy.check());
  std::unique_ptr<InstancePool> pool(new InstancePool(std::move(policy)));
  std::vector<std::future<Result<void>>> started;
  for (std::size_t i = 0; i < count; ++i) {
    std::promise<Result<void>> promise;
    started.push_back(promise.get_future());
    pool->threads_.emplace_back([&pool = *pool, &make, promise = std::move(promise)]() mutable {
      const auto instance = make();
      promise.set_value(instance ? Result<void>() : tl::unexpected(instance.error()));
      if (instance) pool.work(**instance);
    });
  }
  pool->timer_ = std::thread([&pool = *pool] { pool.keep_time(); });
  Result<void> outcome;
  for (auto& future : started) {  // all of them: the factory must outlive each
    const Result<void> one = future.get();
    if (outcome && !one) outcome = one;
  }
  KEFU_CHECK(outcome);
  return pool;
}

InstancePool::~InstancePool() {
  close();
  for (std::thread& thread : threads_) thread.join();
  timer_.join();
}

void InstancePool::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  work_came_.notify_all();
  time_came_.notify_all();
}

RequestId InstancePool::submit(TaskPtr task) {
  QueuedRequest request{0, task->rows(), task->level, task->deadline, task->timeout};
  const std::size_t rows = request.rows.size();
  task->moments.queued = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const RequestId id = request.id = next_id_++;
  Result<void> accepted =
      fail(Code::kUnavailable, "the model is being unloaded or the server shuts down; ask again");
  if (!closed_) accepted = batcher_.push(std::move(request), task->moments.queued);
  if (!accepted) {
    lock.unlock();
    task->finish(std::move(accepted));
    return id;
  }
  const bool has_end = batcher_.next_expiry().has_value();
  active_.emplace(id, Active{std::move(task), rows});
  work_came_.notify_one();
  if (has_end) time_came_.notify_one();
  return id;
}

void InstancePool::cancel(RequestId id) {
  Outcomes outcomes;
  {
    const std::lock_guard lock(mutex_);
    batcher_.cancel(id);
    end(id, fail(Code::kCancelled, "the caller has gone"), outcomes);
  }
  announce(std::move(outcomes));
}

std::size_t InstancePool::waiting_requests() const {
  const std::lock_guard lock(mutex_);
  return batcher_.waiting_requests();
}

void InstancePool::work(Instance& instance) {
  std::unique_lock lock(mutex_);
  while (const auto batch = wait_for_batch(lock)) {
    const std::vector<TaskRow> rows = rows_of(*batch, std::chrono::steady_clock::now());
    lock.unlock();
    settle(*batch, instance.run(rows));
    lock.lock();
  }
}

/// None once the pool is closed and nothing waits.
std::optional<Batch> InstancePool::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const Time now = std::chrono::steady_clock::now();
    if (announce_expired(lock, now)) continue;
    if (auto batch = batcher_.next_batch(now)) {
      if (batcher_.waiting_requests() > 0) work_came_.notify_one();  // perhaps a batch for another instance
      return batch;
    }
    if (closed_ && batcher_.waiting_requests() == 0) return std::nullopt;
    if (const auto due = batcher_.next_due()) {
      work_came_.wait_until(lock, *due);
    } else {
      work_came_.wait(lock);
    }
  }
}

/// Answers in time what expires while every instance runs.
void InstancePool::keep_time() {
  std::unique_lock lock(mutex_);
  while (!closed_ || !active_.empty()) {
    if (announce_expired(lock, std::chrono::steady_clock::now())) continue;
    if (const auto end = batcher_.next_expiry()) {
      time_came_.wait_until(lock, *end);
    } else {
      time_came_.wait(lock);
    }
  }
}

/// The tasks of a batch that an instance now takes.
std::vector<TaskRow> InstancePool::rows_of(const Batch& batch, Time now) {
  std::vector<TaskRow> rows;
  for (const BatchRow& row : batch.rows) {
    const TaskPtr& task = active_.at(row.request).task;
    if (row.row == 0) task->moments.taken = now;
    rows.push_back({task, row.row});
  }
  return rows;
}

/// Finishes the tasks whose last row has been computed, or all if the run failed.
void InstancePool::settle(const Batch& batch, const Result<void>& outcome) {
  Outcomes outcomes;
  {
    const std::lock_guard lock(mutex_);
    const Time now = std::chrono::steady_clock::now();
    for (const BatchRow& row : batch.rows) {
      const auto found = active_.find(row.request);
      if (found == active_.end())
        continue;  // finished meanwhile: cancelled, or too late, or another run failed
      found->second.task->moments.computed = now;
      if (!outcome) batcher_.cancel(row.request);
      if (!outcome || --found->second.rows_left == 0) end(row.request, outcome, outcomes);
    }
  }
  announce(std::move(outcomes));
}

/// False if nothing has expired; else the lock was released meanwhile.
bool InstancePool::announce_expired(std::unique_lock<std::mutex>& lock, Time now) {
  Outcomes outcomes;
  for (const Expired& expired : batcher_.expire(now)) {
    end(expired.request,
        expired.deadline ? fail(Code::kDeadlineExceeded, "the deadline passed before an instance was free")
                         : fail(Code::kUnavailable, "Request timeout expired: no instance was free in time"),
        outcomes);
  }
  if (outcomes.empty()) return false;
  lock.unlock();
  announce(std::move(outcomes));
  lock.lock();
  return true;
}

/// Takes a task out of the pool, if it is still in it.
void InstancePool::end(RequestId id, Result<void> outcome, Outcomes& outcomes) {
  auto found = active_.extract(id);
  if (found.empty()) return;
  outcomes.emplace_back(std::move(found.mapped().task), std::move(outcome));
  if (closed_ && active_.empty()) {
    work_came_.notify_all();
    time_came_.notify_all();
  }
}

void InstancePool::announce(Outcomes outcomes) {
  for (auto& [task, outcome] : outcomes) task->finish(std::move(outcome));
}

}  // namespace kefu::runtime
