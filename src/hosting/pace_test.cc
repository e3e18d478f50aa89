#include "hosting/pace.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kefu::hosting {
namespace {

using std::chrono::milliseconds;

TEST(Pace, OncePerPause) {
  Pace pace(milliseconds(100));
  const runtime::Time start = std::chrono::steady_clock::now();
  EXPECT_TRUE(pace.is_due(start));
  EXPECT_FALSE(pace.is_due(start + milliseconds(99)));
  EXPECT_TRUE(pace.is_due(start + milliseconds(150)));
  EXPECT_FALSE(pace.is_due(start + milliseconds(249)));
  EXPECT_TRUE(pace.is_due(start + milliseconds(250)));
}

TEST(Pace, OfManyThreadsOneHasTheTurn) {
  Pace pace(milliseconds(100));
  const runtime::Time now = std::chrono::steady_clock::now();
  std::atomic<int> turns = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) turns += pace.is_due(now) ? 1 : 0;
      });
  }
  EXPECT_EQ(turns, 1);
}

}  // namespace
}  // namespace kefu::hosting
