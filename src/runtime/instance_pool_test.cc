#include "runtime/instance_pool.h"

#include <atomic>
#include <future>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

BatchPolicy small_policy() {
  BatchPolicy policy;
  policy.buckets = {64};
  policy.max_rows = 4;
  return policy;
}

class CountedTask final : public Task {
 public:
  explicit CountedTask(std::size_t rows = 1) : results(rows, 0), rows_(rows, 8) {}

  RowTokens rows() const override { return rows_; }
  void finish(Result<void> outcome) override {
    ++finished;
    promise_.set_value(std::move(outcome));  // throws the second time
  }
  Result<void> wait() { return future_.get(); }
  bool is_finished() const { return future_.wait_for(0s) == std::future_status::ready; }

  std::vector<int> results;  // how often each row has run
  std::atomic<int> finished = 0;

 private:
  RowTokens rows_;
  std::promise<Result<void>> promise_;
  std::future<Result<void>> future_ = promise_.get_future();
};

/// Runs when let; tells what it runs.
struct Gate {
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> let{0};
  std::mutex mutex;
  std::vector<std::size_t> batches;  // rows of each
  Result<void> outcome;
};

class GatedInstance final : public Instance {
 public:
  explicit GatedInstance(Gate& gate) : gate_(gate) {}

  Result<void> run(std::span<const TaskRow> rows, Execution& /*execution*/) override {
    {
      const std::lock_guard lock(gate_.mutex);
      gate_.batches.push_back(rows.size());
    }
    gate_.begun.release();
    gate_.let.acquire();
    for (const TaskRow& row : rows) ++static_cast<CountedTask&>(*row.task).results[row.row];
    const std::lock_guard lock(gate_.mutex);
    return gate_.outcome;
  }

 private:
  Gate& gate_;
};

std::unique_ptr<InstancePool> start_pool(Gate& gate, const BatchPolicy& policy, std::size_t instances = 1) {
  auto pool = InstancePool::start(policy, instances, [&gate]() -> Result<std::unique_ptr<Instance>> {
    return std::make_unique<GatedInstance>(gate);
  });
  EXPECT_TRUE(pool.has_value());
  return *std::move(pool);
}

std::vector<std::shared_ptr<CountedTask>> submit(InstancePool& pool, std::size_t count) {
  std::vector<std::shared_ptr<CountedTask>> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back(std::make_shared<CountedTask>());
    pool.submit(tasks.back());
  }
  return tasks;
}

TEST(InstancePool, WhatArrivesDuringARunGoesTogether) {
  Gate gate;
  const auto pool = start_pool(gate, small_policy());
  const auto first = submit(*pool, 1);
  gate.begun.acquire();
  const auto rest = submit(*pool, 6);
  gate.let.release(3);
  for (const auto& task : rest) EXPECT_TRUE(task->wait());
  EXPECT_TRUE(first[0]->wait());
  EXPECT_THAT(gate.batches, testing::ElementsAre(1, 4, 2));
  const Moments& moments = rest[0]->moments;
  EXPECT_LE(moments.queued, moments.taken);
  EXPECT_LE(moments.taken, moments.computed);
}

TEST(InstancePool, RowsRunOnceOnSeveralInstances) {
  Gate gate;
  const auto pool = start_pool(gate, small_policy(), 3);
  const auto task = std::make_shared<CountedTask>(50);
  pool->submit(task);
  gate.let.release(50);
  EXPECT_TRUE(task->wait());
  EXPECT_THAT(task->results, testing::Each(1));
}

TEST(InstancePool, AFailedRunFailsItsTasksAndNoOthers) {
  Gate gate;
  gate.outcome = fail(Code::kInternal, "the engine is broken");
  const auto pool = start_pool(gate, small_policy());
  const auto large = std::make_shared<CountedTask>(30);
  pool->submit(large);
  gate.begun.acquire();
  const auto later = submit(*pool, 1);
  gate.let.release();
  EXPECT_EQ(large->wait().error().message, "the engine is broken");
  gate.begun.acquire();
  {
    const std::lock_guard lock(gate.mutex);
    gate.outcome = {};
  }
  gate.let.release(20);
  EXPECT_TRUE(later[0]->wait());
  EXPECT_EQ(large->finished, 1);
}

TEST(InstancePool, CancelledTasksDoNotRun) {
  Gate gate;
  const auto pool = start_pool(gate, small_policy());
  const auto running = std::make_shared<CountedTask>();
  const RequestId running_id = pool->submit(running);
  gate.begun.acquire();
  const auto waiting = std::make_shared<CountedTask>();
  const RequestId waiting_id = pool->submit(waiting);
  pool->cancel(waiting_id);
  pool->cancel(running_id);
  pool->cancel(waiting_id);
  EXPECT_EQ(waiting->wait().error().code, Code::kCancelled);
  EXPECT_EQ(running->wait().error().code, Code::kCancelled);
  const auto next = submit(*pool, 1);
  gate.let.release(2);
  EXPECT_TRUE(next[0]->wait());
  EXPECT_EQ(waiting->results[0], 0);
  EXPECT_THAT(gate.batches, testing::ElementsAre(1, 1));
}

TEST(InstancePool, DeadlinesAreKeptWhileEveryInstanceRuns) {
  Gate gate;
  BatchPolicy policy = small_policy();
  policy.levels[0].timeout = 5ms;
  const auto pool = start_pool(gate, policy);
  const auto running = submit(*pool, 1);
  gate.begun.acquire();
  const auto in_time = std::make_shared<CountedTask>();
  in_time->call.deadline = std::chrono::steady_clock::now() + 2ms;
  pool->submit(in_time);
  const auto queued = submit(*pool, 1);
  EXPECT_EQ(in_time->wait().error().code, Code::kDeadlineExceeded);
  EXPECT_EQ(queued[0]->wait().error().code, Code::kUnavailable);
  EXPECT_FALSE(running[0]->is_finished());
  gate.let.release();
  EXPECT_TRUE(running[0]->wait());
}

TEST(InstancePool, AFullQueueRefusesAtOnce) {
  Gate gate;
  BatchPolicy policy = small_policy();
  policy.levels[0].max_requests = 2;
  const auto pool = start_pool(gate, policy);
  const auto running = submit(*pool, 1);
  gate.begun.acquire();
  const auto tasks = submit(*pool, 3);
  EXPECT_EQ(tasks[2]->wait().error().code, Code::kResourceExhausted);
  gate.let.release(2);
  EXPECT_TRUE(tasks[1]->wait());
}

TEST(InstancePool, ClosingAnswersWhatWasAccepted) {
  Gate gate;
  auto pool = start_pool(gate, small_policy(), 2);
  const auto tasks = submit(*pool, 20);
  pool->close();
  const auto late = submit(*pool, 1);
  EXPECT_EQ(late[0]->wait().error().code, Code::kUnavailable);
  gate.let.release(20);
  pool.reset();
  for (const auto& task : tasks) EXPECT_TRUE(task->is_finished() && task->wait());
}

TEST(InstancePool, AnInstanceThatCannotBeMadeStopsTheStart) {
  std::atomic<int> made = 0;
  Gate gate;
  const auto pool = InstancePool::start(small_policy(), 3, [&]() -> Result<std::unique_ptr<Instance>> {
    if (++made == 2) return fail(Code::kInternal, "no memory for a context");
    return std::make_unique<GatedInstance>(gate);
  });
  ASSERT_FALSE(pool.has_value());
  EXPECT_EQ(pool.error().message, "no memory for a context");
}

/// One outcome each, whatever happens at once.
TEST(InstancePool, EveryTaskEndsOnceUnderCancelsAndDeadlines) {
  Gate gate;
  gate.let.release(1000000);
  BatchPolicy policy = small_policy();
  policy.levels[0].max_requests = 200;
  auto pool = start_pool(gate, policy, 3);
  std::vector<std::future<std::vector<std::shared_ptr<CountedTask>>>> callers;
  for (unsigned caller = 0; caller < 4; ++caller) {
    callers.push_back(std::async(std::launch::async, [&pool, caller] {
      std::vector<std::shared_ptr<CountedTask>> tasks;
      for (unsigned i = 0; i < 500; ++i) {
        tasks.push_back(std::make_shared<CountedTask>(1 + (i + caller) % 7));
        if (i % 3 == 0) tasks.back()->call.deadline = std::chrono::steady_clock::now() + (i % 5) * 100us;
        const RequestId id = pool->submit(tasks.back());
        if (i % 4 == 0) pool->cancel(id);
      }
      return tasks;
    }));
  }
  std::vector<std::shared_ptr<CountedTask>> all;
  for (auto& caller : callers) {
    for (auto& task : caller.get()) all.push_back(std::move(task));
  }
  pool.reset();
  for (const auto& task : all) ASSERT_EQ(task->finished, 1);
}

}  // namespace
}  // namespace kefu::runtime
