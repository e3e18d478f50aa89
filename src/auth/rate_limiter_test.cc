#include "auth/rate_limiter.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kefu::auth {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{1h};

TEST(RateLimiter, ABurstThenTheRate) {
  RateLimiter limiter;
  const RateLimit limit{.per_second = 4, .burst = 3};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.take("a", limit, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("a", limit, kStart), 250ms);
  EXPECT_EQ(limiter.take("a", limit, kStart + 249ms), 1ms);
  EXPECT_EQ(limiter.take("b", limit, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("a", limit, kStart + 250ms), std::nullopt);
  EXPECT_EQ(limiter.take("a", limit, kStart + 250ms), 250ms);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.take("a", limit, kStart + 1h), std::nullopt);
  EXPECT_EQ(limiter.take("a", limit, kStart + 1h), 250ms);
}

TEST(RateLimiter, SaysTheLimitAndTheWait) {
  const Error error = over_limit({.per_second = 0.5, .burst = 2}, 1001ms);
  EXPECT_EQ(error.code, Code::kResourceExhausted);
  EXPECT_EQ(error.message,
            "more requests than the caller's limit of 0.5 per second (burst 2); try again in 2 s");
}

TEST(RateLimiter, ExtremesOfTheLimitDoNotOverflow) {
  RateLimiter limiter;
  EXPECT_EQ(limiter.take("slow", {.per_second = 0.001, .burst = 1'000'000}, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("one", {.per_second = 0.001, .burst = 1}, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("one", {.per_second = 0.001, .burst = 1}, kStart), 1000s);
  const RateLimit fast{.per_second = 1e6, .burst = 1'000'000};
  for (int i = 0; i < 1'000'000; ++i) ASSERT_EQ(limiter.take("fast", fast, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("fast", fast, kStart), 1us);
}

TEST(RateLimiter, AFallenClockGivesNothingAway) {
  RateLimiter limiter;
  const RateLimit limit{.per_second = 1, .burst = 1};
  EXPECT_EQ(limiter.take("a", limit, kStart), std::nullopt);
  EXPECT_EQ(limiter.take("a", limit, kStart - 5s), 6s);
  EXPECT_EQ(limiter.take("a", limit, kStart + 1s), std::nullopt);
}

TEST(RateLimiter, KeepsAtMostSoManyAndEvictsTheOneSoonestFull) {
  RateLimiter limiter(3);
  const RateLimit limit{.per_second = 1, .burst = 10};
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limiter.take("empty", limit, kStart));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(limiter.take("half", limit, kStart));
  EXPECT_FALSE(limiter.take("nearly full", limit, kStart));
  EXPECT_FALSE(limiter.take("new", limit, kStart));  // in the place of "nearly full"
  EXPECT_EQ(limiter.callers(), 3U);
  EXPECT_TRUE(limiter.take("empty", limit, kStart));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(limiter.take("half", limit, kStart));
  EXPECT_TRUE(limiter.take("half", limit, kStart));
  for (int i = 0; i < 1000; ++i) limiter.take(fmt::format("{}", i), limit, kStart);
  EXPECT_EQ(limiter.callers(), 3U);
}

TEST(RateLimiter, FullBucketsAreForgotten) {
  RateLimiter limiter;
  const RateLimit limit{.per_second = 10, .burst = 1};
  for (int i = 0; i < 1000; ++i) limiter.take(fmt::format("{}", i), limit, kStart);
  EXPECT_EQ(limiter.callers(), 1000U);
  for (int i = 0; i < 1000; ++i) limiter.take("a", limit, kStart + 1s + i * 1ms);
  EXPECT_EQ(limiter.callers(), 1U);
}

/// Tokens counted in billionths, which flow in whole ones each nanosecond.
struct ModelBucket {
  std::int64_t billionths;
  Time since;
};

/// A million random requests of callers with limits of their own, against buckets that are filled and
/// emptied.
TEST(RateLimiterProperty, IsABucketOfTokens) {
  std::mt19937 random(11);
  constexpr std::int64_t kToken = 1'000'000'000;
  for (int round = 0; round < 100; ++round) {
    RateLimiter limiter;
    std::vector<RateLimit> limits(1 + random() % 8);
    std::vector<ModelBucket> buckets;
    for (RateLimit& limit : limits) {
      const int rates[] = {1, 2, 5, 20, 100, 1000, 8000};  // divisors of a billion: no rounding
      limit = {.per_second = static_cast<double>(rates[random() % 7]),
               .burst = static_cast<int>(1 + random() % 50)};
      buckets.push_back({limit.burst * kToken, kStart});
    }
    Time now = kStart;
    for (int step = 0; step < 10'000; ++step) {
      const unsigned pause = step % 100 == 0 ? 2'000'000'000 : 3'000'000;
      if (random() % 3 == 0) now += std::chrono::nanoseconds(random() % pause);
      const std::size_t caller = random() % limits.size();
      const RateLimit& limit = limits[caller];
      ModelBucket& bucket = buckets[caller];
      const auto rate = static_cast<std::int64_t>(limit.per_second);
      bucket.billionths =
          std::min(limit.burst * kToken, bucket.billionths + rate * (now - bucket.since).count());
      bucket.since = now;
      const auto wait = limiter.take(fmt::format("caller {}", caller), limit, now);
      if (bucket.billionths >= kToken) {
        ASSERT_EQ(wait, std::nullopt);
        bucket.billionths -= kToken;
      } else {
        const std::int64_t missing = kToken - bucket.billionths;
        ASSERT_EQ(wait, std::chrono::nanoseconds((missing + rate - 1) / rate));
      }
    }
  }
}

/// Whatever the rate, no span of time lets more through than the burst and what flows in meanwhile.
TEST(RateLimiterProperty, NoSpanExceedsBurstAndRate) {
  std::mt19937 random(13);
  for (int round = 0; round < 50; ++round) {
    RateLimiter limiter;
    const RateLimit limit{.per_second = 1.1 + static_cast<double>(random() % 100'000) / 37,
                          .burst = static_cast<int>(1 + random() % 20)};
    std::vector<Time> taken;
    Time now = kStart;
    for (int step = 0; step < 1000; ++step) {
      now += std::chrono::nanoseconds(random() % static_cast<unsigned>(1e9 / limit.per_second));
      if (!limiter.take("a", limit, now)) taken.push_back(now);
    }
    for (std::size_t from = 0; from < taken.size(); ++from) {
      for (std::size_t to = from; to < taken.size(); ++to) {
        const double span = std::chrono::duration<double>(taken[to] - taken[from]).count();
        ASSERT_LE(static_cast<double>(to - from + 1),
                  limit.burst + span * limit.per_second * (1 + 1e-5) + 1e-5);
      }
    }
  }
}

TEST(RateLimiter, ThreadsShareABucket) {
  RateLimiter limiter(50);
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&limiter, &taken, t] {
      for (int i = 0; i < 2000; ++i) {
        if (!limiter.take("shared", {.per_second = 0.001, .burst = 1000}, kStart)) ++taken;
        limiter.take(fmt::format("{} {}", t, i % 60), {.per_second = 1, .burst = 1}, kStart);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 1000);
  EXPECT_LE(limiter.callers(), 50U);
}

}  // namespace
}  // namespace kefu::auth
