#include "runtime/expiring_lru.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Time kFirst{1h};

/// Room for three values of 100 bytes.
CacheLimits room_for_three() {
  return {.bytes = 3 * (100 + kCacheEntryBytes), .ttl = 10s};
}

CacheKey numbered(std::uint64_t number) {
  return KeyBuilder().add(number).finish();
}

class ExpiringLruTest : public testing::Test {
 protected:
  std::size_t put(int number, std::size_t cost, Time now) {
    return lru_.put(numbered(static_cast<std::uint64_t>(number)), std::make_shared<int>(number), cost, now,
                    removed_);
  }
  int find(int number, Time now) {
    const auto value = lru_.find(numbered(static_cast<std::uint64_t>(number)), now, removed_);
    return value == nullptr ? -1 : *value;
  }
  std::vector<int> removed() {
    std::vector<int> numbers;
    for (const auto& value : std::exchange(removed_, {})) numbers.push_back(*value);
    return numbers;
  }

  ExpiringLru<int> lru_{room_for_three()};
  ExpiringLru<int>::Removed removed_;
};

TEST_F(ExpiringLruTest, TheOneNotUsedForLongestLeaves) {
  for (const int number : {1, 2, 3}) EXPECT_EQ(put(number, 100, kFirst), 0U);
  EXPECT_EQ(find(1, kFirst), 1);
  EXPECT_EQ(put(4, 100, kFirst), 1U);
  EXPECT_THAT(removed(), testing::ElementsAre(2));
  EXPECT_EQ(put(5, 200 + kCacheEntryBytes, kFirst), 2U);
  EXPECT_THAT(removed(), testing::ElementsAre(3, 1));
  EXPECT_EQ(lru_.bytes(), room_for_three().bytes);
}

TEST_F(ExpiringLruTest, AnExpiredValueIsNotGivenAndLeavesBeforeTheOthers) {
  put(1, 100, kFirst);
  put(2, 100, kFirst + 5s);
  put(3, 100, kFirst + 6s);
  EXPECT_EQ(find(1, kFirst + 10s - 1ns), 1);  // used last
  EXPECT_EQ(put(4, 100, kFirst + 10s), 0U);
  EXPECT_THAT(removed(), testing::ElementsAre(1));
  EXPECT_EQ(find(2, kFirst + 15s), -1);
  EXPECT_THAT(removed(), testing::ElementsAre(2));
  EXPECT_EQ(lru_.size(), 2U);
}

TEST_F(ExpiringLruTest, ASecondValueOfAKeyReplacesTheFirst) {
  put(1, 100, kFirst);
  put(1, 50, kFirst);
  EXPECT_THAT(removed(), testing::ElementsAre(1));
  EXPECT_EQ(lru_.bytes(), 50 + kCacheEntryBytes);
}

TEST_F(ExpiringLruTest, WhatIsLargerThanAllTheRoomIsNotKept) {
  put(1, 100, kFirst);
  for (const std::size_t cost : {room_for_three().bytes, std::numeric_limits<std::size_t>::max()})
    EXPECT_EQ(put(2, cost, kFirst), 0U);
  EXPECT_EQ(find(2, kFirst), -1);
  EXPECT_EQ(find(1, kFirst), 1);
  put(1, room_for_three().bytes, kFirst);  // the old value is no longer the key's
  EXPECT_EQ(find(1, kFirst), -1);
  EXPECT_EQ(lru_.bytes(), 0U);
}

TEST(ExpiringLru, LimitsAtTheirEnds) {
  struct Case {
    CacheLimits limits;
    bool is_kept = false;
  };
  const Case cases[] = {
      {{.bytes = 0}, false},
      {{.bytes = kCacheEntryBytes - 1}, false},
      {{.bytes = kCacheEntryBytes}, true},
      {{.ttl = Duration::zero()}, false},
      {{.ttl = Duration::max()}, true},
  };
  for (const Case& each : cases) {
    ExpiringLru<int> lru(each.limits);
    ExpiringLru<int>::Removed removed;
    lru.put(numbered(1), std::make_shared<int>(1), 0, kFirst, removed);
    EXPECT_EQ(lru.find(numbered(1), kFirst, removed) != nullptr, each.is_kept);
  }
}

}  // namespace
}  // namespace kefu::runtime
