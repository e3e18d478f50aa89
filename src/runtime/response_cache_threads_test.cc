// Requests, successes, failures and withdrawals from several threads at once.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/response_cache.h"

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

using NumberCache = ResponseCache<int>;

constexpr int kKeys = 8;
constexpr CacheLimits kFewValues{.bytes = 4 * (kCacheEntryBytes + 100), .ttl = 1ms};

class Crowd {
 public:
  void ask(unsigned seed, int requests) {
    std::mt19937 random(seed);
    for (int i = 0; i < requests; ++i) {
      const int key = static_cast<int>(random() % kKeys);
      look_up(key, random() % 4 == 0);
      if (random() % 3 > 0) continue;
      if (auto duty = take_duty(random())) finish(std::move(duty), random() % 3 > 0);
      EXPECT_LE(cache_.statistics().bytes, kFewValues.bytes);
    }
  }

  /// Once all leads have ended: every look-up was answered, told to lead, or withdrawn, and only one of
  /// these.
  void expect_all_told() {
    while (auto duty = take_duty(0)) finish(std::move(duty), true);
    const CacheStatistics statistics = cache_.statistics();
    EXPECT_EQ(statistics.coalesced, told_ + withdrawn_);
    for (const auto& calls : calls_) EXPECT_EQ(*calls, 1);
    EXPECT_GT(statistics.hits, 0U);
    EXPECT_GT(withdrawn_, 0U);
  }

 private:
  struct Duty {
    int key;
    NumberCache::Lead lead;
  };

  void look_up(int key, bool withdraws) {
    const auto calls = std::make_shared<std::atomic<int>>(0);
    auto found = cache_.look_up(KeyBuilder().add(static_cast<std::uint64_t>(key)).finish(), now(),
                                [this, key, calls](NumberCache::Outcome outcome) {
                                  ++*calls;
                                  ++told_;
                                  if (auto* value = std::get_if<NumberCache::ValuePtr>(&outcome)) {
                                    EXPECT_EQ(**value, key);
                                  } else {
                                    add_duty(key, std::move(std::get<NumberCache::Lead>(outcome)));
                                  }
                                });
    if (auto* value = std::get_if<NumberCache::ValuePtr>(&found)) {
      EXPECT_EQ(**value, key);
    }
    if (auto* lead = std::get_if<NumberCache::Lead>(&found)) add_duty(key, std::move(*lead));
    const auto* ticket = std::get_if<NumberCache::Ticket>(&found);
    if (ticket == nullptr) return;
    if (withdraws && cache_.withdraw(*ticket)) {
      ++withdrawn_;
      EXPECT_EQ(*calls, 0);
      return;
    }
    const std::lock_guard lock(mutex_);
    calls_.push_back(calls);
  }

  void add_duty(int key, NumberCache::Lead lead) {
    EXPECT_EQ(leaders_[static_cast<std::size_t>(key)]++, 0) << "key " << key << " has two leaders";
    const std::lock_guard lock(mutex_);
    duties_.push_back(std::make_unique<Duty>(key, std::move(lead)));
  }

  /// Anyone's, so that threads answer each other.
  std::unique_ptr<Duty> take_duty(std::size_t which) {
    const std::lock_guard lock(mutex_);
    if (duties_.empty()) return nullptr;
    std::swap(duties_[which % duties_.size()], duties_.back());
    auto duty = std::move(duties_.back());
    duties_.pop_back();
    return duty;
  }

  /// A failure is a lead destroyed.
  void finish(std::unique_ptr<Duty> duty, bool succeeds) {
    --leaders_[static_cast<std::size_t>(duty->key)];
    if (succeeds) duty->lead.fulfil(std::make_shared<int>(duty->key), 100, now());
  }

  static Time now() { return std::chrono::steady_clock::now(); }

  NumberCache cache_{kFewValues};
  std::array<std::atomic<int>, kKeys> leaders_{};
  std::atomic<std::uint64_t> told_ = 0;
  std::atomic<std::uint64_t> withdrawn_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Duty>> duties_;
  std::vector<std::shared_ptr<std::atomic<int>>> calls_;  // of the waiters not withdrawn
};

TEST(ResponseCacheThreads, EachWaiterIsToldOnceAndOneLeads) {
  Crowd crowd;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back([&crowd, seed] { crowd.ask(seed, 20'000); });
  for (std::thread& thread : threads) thread.join();
  crowd.expect_all_told();
}

}  // namespace
}  // namespace kefu::runtime
