#include "runtime/instance_pool.h"

#include <algorithm>
#include <future>
#include <numeric>
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
  statistics_.record_request(std::accumulate(request.rows.begin(), request.rows.end(), std::size_t{0}));
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
  show_waiting();
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
    show_waiting();
    end(id, fail(Code::kCancelled, "the caller has gone"), outcomes);
  }
  announce(std::move(outcomes));
}

void InstancePool::work(Instance& instance) {
  std::unique_lock lock(mutex_);
  while (const auto batch = wait_for_batch(lock)) {
    const Statistics::Busy busy(statistics_);
    for (Run& run : runs_of(*batch)) {
      drop_ended(run);
      if (run.rows.empty()) continue;
      lock.unlock();
      execute(instance, run);
      lock.lock();
    }
  }
}

/// None once the pool is closed and nothing waits.
std::optional<Batch> InstancePool::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const Time now = std::chrono::steady_clock::now();
    if (announce_expired(lock, now)) continue;
    if (auto batch = batcher_.next_batch(now)) {
      show_waiting();
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
    run.of.push_back(row);
  }
  return runs;
}

/// With the lock held: takes out rows whose task has been finished while another run of the batch went on.
void InstancePool::drop_ended(Run& run) const {
  for (std::size_t i = run.rows.size(); i-- > 0;) {
    if (active_.contains(run.of[i].request)) continue;
    run.rows.erase(run.rows.begin() + static_cast<std::ptrdiff_t>(i));
    run.of.erase(run.of.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void InstancePool::execute(Instance& instance, const Run& run) {
  Execution execution{.rows = run.rows.size(), .began = std::chrono::steady_clock::now()};
  std::size_t longest = 0;
  for (const BatchRow& row : run.of) {
    execution.tokens += row.tokens;
    longest = std::max<std::size_t>(longest, row.tokens);
  }
  execution.padding = batcher_.policy().padded(longest) * run.of.size() - execution.tokens;
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
      const auto found = active_.find(run.of[i].request);
      if (found == active_.end())
        continue;  // finished meanwhile: cancelled, or too late, or another run failed
      Moments& moments = found->second.task->moments;
      if (moments.taken == Time()) {
        moments.taken = execution.began;
        moments.copied_in = execution.copied_in;
      }
      moments.computed = execution.computed;
      moments.copied_out = execution.copied_out;
      if (!outcome) batcher_.cancel(run.of[i].request);
      if (!outcome || --found->second.rows_left == 0) end(run.of[i].request, outcome, outcomes);
    }
  }
  announce(std::move(outcomes));
}

/// False if nothing has expired; else the lock was released meanwhile.
bool InstancePool::announce_expired(std::unique_lock<std::mutex>& lock, Time now) {
  Outcomes outcomes;
  for (const Expired& expired : batcher_.expire(now)) {
    if (const auto task = active_.find(expired.request); task != active_.end())
      statistics_.record_expiry(task->second.task->moments);
    end(expired.request,
        expired.deadline ? fail(Code::kDeadlineExceeded, "the deadline passed before an instance was free")
                         : fail(Code::kUnavailable, "Request timeout expired: no instance was free in time"),
        outcomes);
  }
  if (outcomes.empty()) return false;
  show_waiting();
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

/// With the lock held: what a scrape is to see.
void InstancePool::show_waiting() {
  statistics_.show_waiting(batcher_.waiting_requests(), batcher_.waiting_tokens());
}

void InstancePool::announce(Outcomes outcomes) {
  for (auto& [task, outcome] : outcomes) {
    if (outcome) {
      statistics_.record_success(task->moments);
    } else {
      statistics_.record_failure(outcome.error().code, task->moments, std::chrono::steady_clock::now());
    }
    if (task->call.moments) *task->call.moments = task->moments;
    task->finish(std::move(outcome));
  }
}

}  // namespace kefu::runtime
