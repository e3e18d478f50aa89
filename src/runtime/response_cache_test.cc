#include "runtime/response_cache.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

using Cache = ResponseCache<std::string>;

constexpr Time kAskedAt{1h};

const CacheKey kQuestion = KeyBuilder().add("question").finish();

/// What a waiter has been told.
struct Told {
  std::vector<std::string> values;
  std::vector<Cache::Lead> leads;

  Cache::Waiter waiter() {
    return [this](Cache::Outcome outcome) {
      if (auto* value = std::get_if<Cache::ValuePtr>(&outcome)) values.push_back(**value);
      if (auto* lead = std::get_if<Cache::Lead>(&outcome)) leads.push_back(std::move(*lead));
    };
  }
};

class ResponseCacheTest : public testing::Test {
 protected:
  Cache::Lead lead() { return std::get<Cache::Lead>(cache_.look_up(kQuestion, kAskedAt, nullptr)); }
  Cache::Ticket follow(Told& told) {
    return std::get<Cache::Ticket>(cache_.look_up(kQuestion, kAskedAt, told.waiter()));
  }
  std::string hit() {
    auto found = cache_.look_up(kQuestion, kAskedAt, nullptr);
    const auto* value = std::get_if<Cache::ValuePtr>(&found);
    return value == nullptr ? "none" : **value;
  }
  static Cache::ValuePtr answer() { return std::make_shared<const std::string>("answer"); }

  Cache cache_{{.bytes = 1000, .ttl = 10s}};
};

TEST_F(ResponseCacheTest, OneComputesForAllAndLaterOnesHit) {
  auto leader = lead();
  Told first;
  Told second;
  follow(first);
  follow(second);
  leader.fulfil(answer(), 100, kAskedAt);
  leader.fulfil(answer(), 100, kAskedAt);  // does nothing: the duty is done
  EXPECT_THAT(first.values, testing::ElementsAre("answer"));
  EXPECT_THAT(second.values, testing::ElementsAre("answer"));
  EXPECT_EQ(hit(), "answer");
  const CacheStatistics statistics = cache_.statistics();
  EXPECT_EQ(statistics.misses, 1U);
  EXPECT_EQ(statistics.coalesced, 2U);
  EXPECT_EQ(statistics.hits, 1U);
  EXPECT_EQ(statistics.bytes, 100 + kCacheEntryBytes);
}

TEST_F(ResponseCacheTest, ALeaderThatGivesUpIsSucceededByTheNextFollower) {
  auto leader = std::make_optional(lead());
  Told first;
  Told second;
  follow(first);
  follow(second);
  leader.reset();
  ASSERT_EQ(first.leads.size(), 1U);
  EXPECT_TRUE(second.leads.empty());
  first.leads[0].give_up();
  ASSERT_EQ(second.leads.size(), 1U);
  Told third;
  follow(third);
  second.leads[0].fulfil(answer(), 100, kAskedAt);
  EXPECT_THAT(third.values, testing::ElementsAre("answer"));
  EXPECT_EQ(hit(), "answer");
}

TEST_F(ResponseCacheTest, WithoutFollowersTheNextRequestLeads) {
  lead().give_up();
  EXPECT_EQ(hit(), "none");
  EXPECT_EQ(cache_.statistics().misses, 2U);
}

TEST_F(ResponseCacheTest, AWithdrawnFollowerIsToldNothing) {
  auto leader = lead();
  Told first;
  Told second;
  const auto ticket = follow(first);
  const auto kept = follow(second);
  EXPECT_TRUE(cache_.withdraw(ticket));
  EXPECT_FALSE(cache_.withdraw(ticket));
  leader.give_up();
  EXPECT_TRUE(first.leads.empty());
  EXPECT_EQ(second.leads.size(), 1U);
  EXPECT_FALSE(cache_.withdraw(kept));
  second.leads.clear();
  EXPECT_FALSE(cache_.withdraw(kept));
}

TEST_F(ResponseCacheTest, WhatIsTooLargeToKeepIsStillShared) {
  auto leader = lead();
  Told told;
  follow(told);
  leader.fulfil(answer(), 1000, kAskedAt);
  EXPECT_THAT(told.values, testing::ElementsAre("answer"));
  EXPECT_EQ(hit(), "none");
}

/// As when a full queue refuses each of them at once.
TEST_F(ResponseCacheTest, SuccessorsThatGiveUpAtOnceNeedNoStack) {
  auto leader = lead();
  int told = 0;
  for (int i = 0; i < 200'000; ++i)
    cache_.look_up(kQuestion, kAskedAt, [&](const Cache::Outcome& /*outcome*/) { ++told; });
  leader.give_up();
  EXPECT_EQ(told, 200'000);
  EXPECT_EQ(hit(), "none");
}

/// A waiter may ask the cache, and a value's destructor too.
TEST(ResponseCache, NothingOfTheCallersRunsUnderTheLock) {
  struct Asks {
    std::function<void()> ask;
    ~Asks() { ask(); }
  };
  int asked = 0;
  bool is_over = false;
  ResponseCache<Asks> cache({.bytes = kCacheEntryBytes, .ttl = 1s});
  const auto ask = [&] {
    if (is_over) return;  // the cache is being destroyed
    cache.look_up(KeyBuilder().add("other").finish(), kAskedAt, nullptr);
    ++asked;
  };
  const auto fulfil = [&](const CacheKey& key, Time now) {
    auto found = cache.look_up(key, now, nullptr);
    cache.look_up(key, now, [&](const auto& /*outcome*/) { ask(); });
    std::get<ResponseCache<Asks>::Lead>(found).fulfil(std::make_shared<const Asks>(ask), 0, now);
  };
  fulfil(kQuestion, kAskedAt);
  EXPECT_EQ(asked, 1);
  fulfil(KeyBuilder().add("evicts it").finish(), kAskedAt);
  EXPECT_EQ(asked, 3);
  fulfil(KeyBuilder().add("finds it expired").finish(), kAskedAt + 1s);
  EXPECT_EQ(asked, 5);
  cache.look_up(KeyBuilder().add("finds it expired").finish(), kAskedAt + 2s, nullptr);
  EXPECT_EQ(asked, 6);
  is_over = true;
}

}  // namespace
}  // namespace kefu::runtime
