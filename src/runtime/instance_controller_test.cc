#include "runtime/instance_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTick = 100ms;

/// A controller that is told the same for a while; as many instances serve as it wants.
class Teller {
 public:
  explicit Teller(const InstancePolicy& policy) : controller_(policy) {}

  std::size_t tell(InstanceSample sample, Duration length) {
    for (const Time end = now_ + length; now_ < end;) {
      now_ += kTick;
      sample.instances = controller_.wanted();
      controller_.observe(sample, now_);
    }
    return controller_.wanted();
  }
  std::size_t observe(const InstanceSample& sample) { return controller_.observe(sample, now_ += kTick); }

 private:
  InstanceController controller_;
  Time now_{1h};
};

InstancePolicy up_to(std::size_t max) {
  return {.max = max, .target_queue_time = 10ms, .add_after = 1s, .remove_after = 10s, .cooldown = 500ms};
}

/// A queue longer than the target of up_to().
InstanceSample standing() {
  return {.queue_time = 11ms, .run_time = 1ms, .busy = 1, .waiting = 5};
}

InstanceSample used(double busy) {
  return {.queue_time = 0ms, .run_time = 1ms, .busy = busy, .waiting = 0};
}

TEST(InstanceController, AdditionsGrowWhileTheQueueStands) {
  Teller teller(up_to(16));
  EXPECT_EQ(teller.tell(standing(), 1s), 1U);
  EXPECT_EQ(teller.tell(standing(), 100ms), 2U);
  EXPECT_EQ(teller.tell(standing(), 1400ms), 2U);  // half a second to settle, then one second
  EXPECT_EQ(teller.tell(standing(), 100ms), 4U);
  EXPECT_EQ(teller.tell(standing(), 1500ms), 8U);
  EXPECT_EQ(teller.tell(standing(), 1500ms), 16U);
  EXPECT_EQ(teller.tell(standing(), 60s), 16U);
}

TEST(InstanceController, AGoodSampleEndsTheStandingAndTheGrowth) {
  Teller teller(up_to(16));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(teller.tell(standing(), 900ms), 1U);
    EXPECT_EQ(teller.tell(used(0.9), kTick), 1U);
  }
  EXPECT_EQ(teller.tell(standing(), 1100ms), 2U);
  EXPECT_EQ(teller.tell(used(1.9), 600ms), 2U);
  EXPECT_EQ(teller.tell(standing(), 1100ms), 3U);  // again by one
}

/// It has begun to empty, so what there is suffices, unless it stops emptying.
TEST(InstanceController, AQueueThatHalvesDoesNotStand) {
  Teller teller(up_to(2));
  for (const std::size_t waiting : {100, 50, 25, 12, 6, 3}) {
    InstanceSample sample = standing();
    sample.waiting = waiting;
    EXPECT_EQ(teller.tell(sample, 900ms), 1U);
  }
  EXPECT_EQ(teller.tell(standing(), 1100ms), 2U);
}

TEST(InstanceController, WhatIsAStandingQueue) {
  struct Case {
    InstanceSample sample;
    InstancePolicy policy;
    bool stands = false;
  };
  const InstanceSample run_of_20ms{.queue_time = 41ms, .run_time = 20ms, .busy = 1, .waiting = 1};
  const Case cases[] = {
      {standing(), {.target_queue_time = 11ms}, false},
      {standing(), {.target_queue_time = 10ms}, true},
      {run_of_20ms, {}, true},
      {run_of_20ms, {.batching_window = 1ms}, false},
      {{.queue_time = 41ms, .run_time = 20ms, .busy = 1, .waiting = 0}, {}, false},  // it has emptied
      {{.queue_time = 41ms, .busy = 1, .waiting = 1}, {}, false},                    // no run to compare with
      {{.run_time = 20ms, .busy = 1, .waiting = 1}, {}, false},                      // no request was taken
  };
  for (const Case& each : cases) {
    InstancePolicy policy = each.policy;
    policy.max = 2;
    EXPECT_EQ(Teller(policy).tell(each.sample, 5s), each.stands ? 2U : 1U);
  }
}

/// Runs longer than samples are apart: most samples bring no news.
TEST(InstanceController, NoNewsLeavesTheQueueStanding) {
  Teller teller(up_to(2));
  teller.observe(standing());
  EXPECT_EQ(teller.tell({.busy = 1, .waiting = 5}, 1s), 2U);
}

TEST(InstanceController, NothingIsAddedWhileAnInstanceStarts) {
  Teller teller(up_to(8));
  EXPECT_EQ(teller.tell(standing(), 1100ms), 2U);
  InstanceSample starting = standing();
  starting.instances = 1;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(teller.observe(starting), 2U);
  starting.instances = 2;
  EXPECT_EQ(teller.observe(starting), 4U);
}

TEST(InstanceController, OneLeavesWhenTheOthersWouldHaveLittleToDo) {
  struct Case {
    double busy;
    std::size_t left;  // of 4, after one period
  };
  for (const auto& [busy, left] : {Case{0, 3}, Case{1.79, 3}, Case{1.81, 4}, Case{4, 4}}) {
    InstancePolicy policy = up_to(4);
    Teller teller(policy);
    ASSERT_EQ(teller.tell(standing(), 4s), 4U);
    EXPECT_EQ(teller.tell(used(busy), 9900ms), 4U);
    EXPECT_EQ(teller.tell(used(busy), 600ms), left) << busy;
  }
}

/// Use is the mean over a period: a busy second among ten does not save an instance, a standing queue does.
TEST(InstanceController, UseIsJudgedOverAWholePeriod) {
  Teller teller(up_to(4));
  ASSERT_EQ(teller.tell(standing(), 4s), 4U);
  EXPECT_EQ(teller.tell(used(4), 1s), 4U);
  EXPECT_EQ(teller.tell(used(1), 9600ms), 3U);
  EXPECT_EQ(teller.tell(used(0), 9s), 3U);
  EXPECT_EQ(teller.tell(standing(), kTick), 3U);
  EXPECT_EQ(teller.tell(used(0), 9900ms), 3U);
  EXPECT_EQ(teller.tell(used(0), kTick), 2U);
}

TEST(InstanceController, AnUndoneRemovalDoublesThePatience) {
  Teller teller(up_to(2));
  for (const Duration patience : {10s, 20s, 40s, 80s, 160s, 160s}) {
    ASSERT_EQ(teller.tell(standing(), 1700ms), 2U);
    EXPECT_EQ(teller.tell(used(0.1), patience - kTick), 2U);
    EXPECT_EQ(teller.tell(used(0.1), kTick + 500ms), 1U);
  }
  EXPECT_EQ(teller.tell(used(0.1), 100s), 1U);  // this one stood
  ASSERT_EQ(teller.tell(standing(), 1100ms), 2U);
  EXPECT_EQ(teller.tell(used(0.1), 10500ms), 1U);
}

TEST(InstanceController, ASecondRemovalShowsThatTheFirstWasRight) {
  Teller teller(up_to(3));
  ASSERT_EQ(teller.tell(standing(), 3s), 3U);
  ASSERT_EQ(teller.tell(used(0.1), 10500ms), 2U);
  ASSERT_EQ(teller.tell(standing(), 1700ms), 3U);
  EXPECT_EQ(teller.tell(used(0.1), 20500ms), 2U);  // doubled
  EXPECT_EQ(teller.tell(used(0.1), 20600ms), 1U);
  ASSERT_EQ(teller.tell(standing(), 3200ms), 3U);
  EXPECT_EQ(teller.tell(used(0.1), 20500ms), 2U);  // not doubled twice
}

TEST(InstancePolicy, ContradictionsAreRefused) {
  EXPECT_TRUE(InstancePolicy().check());
  EXPECT_TRUE(up_to(8).check());
  const InstancePolicy wrong[] = {
      {.min = 0},     {.min = 2, .max = 1}, {.add_after = 0s}, {.remove_after = 0s},
      {.low_use = 0}, {.low_use = 1},       {.cooldown = -1s}, {.target_queue_time = -1s},
  };
  for (const InstancePolicy& policy : wrong) {
    const auto checked = policy.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Code::kInvalidArgument);
    EXPECT_THAT(checked.error().message, testing::StartsWith("instances: "));
  }
}

TEST(InstanceSample, IsTheDifferenceOfTwoSnapshots) {
  StatisticsSnapshot earlier;
  earlier.queue = {{10}, 1'000};
  earlier.batches[4] = {{5, 100}, {5, 1'000}, {5, 100}};
  StatisticsSnapshot later = earlier;
  later.queue = {{14}, 9'000};
  later.batches[4] = {{6, 200}, {6, 2'000}, {6, 200}};
  later.batches[1] = {{1, 0}, {1, 800}, {1, 0}};
  const InstanceSample sample = sample_between(earlier, later, 1us);
  EXPECT_EQ(sample.queue_time, 2us);
  EXPECT_EQ(sample.run_time, 1us);  // of 1.2 and 0.8
  EXPECT_DOUBLE_EQ(sample.busy, 2);
  const InstanceSample none = sample_between(later, later, 0us);
  EXPECT_FALSE(none.queue_time);
  EXPECT_FALSE(none.run_time);
  EXPECT_EQ(none.busy, 0);
}

}  // namespace
}  // namespace kefu::runtime
