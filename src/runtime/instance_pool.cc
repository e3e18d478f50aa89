#include "runtime/instance_pool.h"

#include <algorithm>
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
  QueuedRequest request{0, task->rows(), task->call.level, task->call.deadline, task->call.timeout};
  const std::size_t rows = request.rows.size();
  task->moments.received = task->call.received;
  task->moments.queued = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const RequestId id = request.id = next_id_++;
  Result<void> accepted =
      fail(Code::kUnavailable, "the model is being unloaded or the server shuts down; ask again");
  if (!closed_) accepted = batcher_.push(std::move(request), task->moments.queued);
  if (!accepted) {
    lock.unlock();
    Outcomes outcomes;
    outcomes.emplace_back(std::move(task), std::move(accepted));
    announce(std::move(outcomes));
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

std::size_t InstancePool::pending_requests() const {
  const std::lock_guard lock(mutex_);
  return active_.size();
}

void InstancePool::work(Instance& instance) {
  std::unique_lock lock(mutex_);
  while (const auto batch = wait_for_batch(lock)) {
    const std::vector<Run> runs = runs_of(*batch);
    lock.unlock();
    for (const Run& run : runs) execute(instance, run);
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

/// The rows of a batch by group, in the order of the first of each.
std::vector<InstancePool::Run> InstancePool::runs_of(const Batch& batch) {
  std::vector<Run> runs;
  for (const BatchRow& row : batch.rows) {
    const TaskPtr& task = active_.at(row.request).task;
    const auto same = std::ranges::find_if(
        runs, [&](const Run& run) { return run.rows.front().task->group() == task->group(); });
    Run& run = same != runs.end() ? *same : runs.emplace_back();
    run.rows.push_back({task, row.row});
    run.requests.push_back(row.request);
  }
  return runs;
}

void InstancePool::execute(Instance& instance, const Run& run) {
  Execution execution{.rows = run.rows.size(), .began = std::chrono::steady_clock::now()};
  execution.copied_in = execution.computed = execution.began;
  const Result<void> outcome = instance.run(run.rows, execution);
  execution.copied_out = std::chrono::steady_clock::now();
  if (outcome) statistics_.record_execution(execution);
  settle(run, execution, outcome);
}

/// Finishes the tasks whose last row has been computed, or all if the run failed.
void InstancePool::settle(const Run& run, const Execution& execution, const Result<void>& outcome) {
  Outcomes outcomes;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      const auto found = active_.find(run.requests[i]);
      if (found == active_.end())
        continue;  // finished meanwhile: cancelled, or too late, or another run failed
      Moments& moments = found->second.task->moments;
      if (moments.taken == Time()) {
        moments.taken = execution.began;
        moments.copied_in = execution.copied_in;
      }
      moments.computed = execution.computed;
      moments.copied_out = execution.copied_out;
      if (!outcome) batcher_.cancel(run.requests[i]);
      if (!outcome || --found->second.rows_left == 0) end(run.requests[i], outcome, outcomes);
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
  for (auto& [task, outcome] : outcomes) {
    if (outcome) {
      statistics_.record_success(task->moments);
    } else {
      statistics_.record_failure(outcome.error().code,
                                 std::chrono::steady_clock::now() - task->moments.received);
    }
    task->finish(std::move(outcome));
  }
}

}  // namespace kefu::runtime
