#include "runtime/instance_pool.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "base/log.h"

namespace kefu::runtime {

namespace {

constexpr auto kObserveEach = std::chrono::milliseconds(200);

Result<void> is_closed() {
  return fail(Code::kUnavailable, "the model is being unloaded or the server shuts down; ask again");
}

}  // namespace

Result<std::unique_ptr<InstancePool>> InstancePool::start(BatchPolicy policy, const InstancePolicy& instances,
                                                          Factory make) {
  KEFU_CHECK(policy.check());
  KEFU_CHECK(instances.check());
  std::unique_ptr<InstancePool> pool(new InstancePool(std::move(policy), instances, std::move(make)));
  std::vector<std::future<Result<void>>> started;
  for (std::size_t i = 0; i < instances.min; ++i) {
    std::promise<Result<void>> promise;
    started.push_back(promise.get_future());
    const std::lock_guard lock(pool->mutex_);
    pool->add_instance(std::move(promise));
  }
  Result<void> outcome;
  for (auto& future : started) {
    const Result<void> one = future.get();
    if (outcome && !one) outcome = one;
  }
  pool->timer_ = std::thread([&pool = *pool] { pool.keep_time(); });
  KEFU_CHECK(outcome);
  return pool;
}

InstancePool::~InstancePool() {
  close();
  timer_.join();  // first: it adds instances
  for (std::thread& thread : threads_) thread.join();
}

/// With the lock held. `started` hears when the instance is there, or why not.
void InstancePool::add_instance(std::promise<Result<void>> started) {
  ++starting_;
  threads_.emplace_back([this, started = std::move(started)]() mutable {
    auto instance = make_();
    {
      const std::lock_guard lock(mutex_);
      --starting_;
      if (instance) {
        ++serving_;
      } else {
        retry_at_ = std::chrono::steady_clock::now() + kRetryAfter;
      }
    }
    started.set_value(instance ? Result<void>() : tl::unexpected(instance.error()));
    if (instance) {
      work(**instance);
      instance->reset();  // before anybody waits for this thread
    } else {
      spdlog::warn(R"("event":"instance_not_made","reason":{})", Json(instance.error().message).dump());
    }
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::this_thread::get_id());
  });
}

void InstancePool::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  work_came_->condition.notify_all();
  time_came_.notify_all();
}

RequestId InstancePool::submit(TaskPtr task) {
  QueuedRequest request{0, task->rows(), task->call.level, task->call.deadline, task->call.timeout};
  const std::size_t rows = request.rows.size();
  task->moments.tokens = std::accumulate(request.rows.begin(), request.rows.end(), std::size_t{0});
  statistics_.record_request(task->moments.tokens);
  task->moments.received = task->call.received;
  task->moments.queued = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const RequestId id = request.id = next_id_++;
  Result<void> accepted = closed_ ? is_closed() : batcher_.push(std::move(request), task->moments.queued);
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
  lock.unlock();
  if (has_end) time_came_.notify_one();
  Wakeups::defer(work_came_);
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
  statistics_.show_instances(serving_);
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
  statistics_.show_instances(--serving_);
}

/// None once the pool is closed and nothing waits, or there are more instances than are wanted.
std::optional<Batch> InstancePool::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const Time now = std::chrono::steady_clock::now();
    if (announce_expired(lock, now)) continue;
    if (is_superfluous()) {
      work_came_->condition.notify_one();  // what woke this one is for another
      return std::nullopt;
    }
    if (auto batch = batcher_.next_batch(now)) {
      show_waiting();
      if (batcher_.waiting_requests() > 0)
        work_came_->condition.notify_one();  // perhaps a batch for another instance
      return batch;
    }
    if (closed_ && batcher_.waiting_requests() == 0) return std::nullopt;
    if (const auto due = batcher_.next_due()) {
      work_came_->condition.wait_until(lock, *due);
    } else {
      work_came_->condition.wait(lock);
    }
  }
}

/// Answers in time what expires while every instance runs, and sees to the number of instances.
void InstancePool::keep_time() {
  std::unique_lock lock(mutex_);
  observed_at_ = std::chrono::steady_clock::now();
  while (!closed_ || !active_.empty()) {
    const Time now = std::chrono::steady_clock::now();
    if (announce_expired(lock, now)) continue;
    const Time next_look = observed_at_ + kObserveEach;
    if (is_elastic_ && !closed_ && now >= next_look) {
      observe(lock, now);
      continue;
    }
    const std::optional<Time> end = batcher_.next_expiry();
    if (is_elastic_ && !closed_) {
      time_came_.wait_until(lock, std::min(end.value_or(next_look), next_look));
    } else if (end) {
      time_came_.wait_until(lock, *end);
    } else {
      time_came_.wait(lock);
    }
  }
}

/// Asks the controller, and follows it.
void InstancePool::observe(std::unique_lock<std::mutex>& lock, Time now) {
  join_ended();
  lock.unlock();
  StatisticsSnapshot snapshot = statistics_.snapshot();
  lock.lock();
  InstanceSample sample = sample_between(observed_, snapshot, now - observed_at_);
  sample.waiting = batcher_.waiting_requests();
  sample.instances = serving_;
  observed_ = std::move(snapshot);
  observed_at_ = now;
  controller_.observe(sample, now);
  grow(now);
  if (is_superfluous()) work_came_->condition.notify_one();
}

/// With the lock held, as the next.
void InstancePool::grow(Time now) {
  if (now < retry_at_) return;
  while (serving_ + starting_ < controller_.wanted()) add_instance({});
}

/// Takes back the threads of instances that have left; they need no lock any more.
void InstancePool::join_ended() {
  for (const std::thread::id id : std::exchange(ended_, {})) {
    const auto ended = std::ranges::find(threads_, id, &std::thread::get_id);
    ended->join();
    threads_.erase(ended);
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
    work_came_->condition.notify_all();
    time_came_.notify_all();
  }
}

/// With the lock held: what a scrape is to see.
void InstancePool::show_waiting() {
  statistics_.show_waiting(batcher_.waiting_requests(), batcher_.waiting_tokens());
}

void InstancePool::announce(Outcomes outcomes) {
  const Wakeups wakeups;  // whoever waits for several of them is woken once
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
