#include "runtime/budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

TEST(Budget, GivesNoMoreThanThereIs) {
  Budget budget(10);
  auto seven = budget.take(7);
  ASSERT_TRUE(seven);
  EXPECT_FALSE(budget.take(4));
  EXPECT_TRUE(budget.take(3));  // given back at once
  seven.reset();
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_TRUE(budget.take(10));
  EXPECT_FALSE(budget.take(11));
}

TEST(Budget, AMovedPermitGivesBackOnce) {
  Budget budget(10);
  auto taken = budget.take(6);
  ASSERT_TRUE(taken);
  Permit kept = *std::move(taken);
  taken.reset();
  EXPECT_EQ(budget.used(), 6U);
  kept = Permit();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(Budget, ManyThreadsNeverExceedIt) {
  Budget budget(3);
  std::atomic<int> holders = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const auto permit = budget.take(1);
        if (!permit) continue;
        const int now = ++holders;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace kefu::runtime
