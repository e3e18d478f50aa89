// Random requests with a clock of their own against a plain model of what must become of them.

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/response_cache.h"

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

using IntCache = ResponseCache<int>;

/// What a waiter is told: the value, or none when it is to lead.
struct Event {
  int follower;
  std::optional<int> value;

  bool operator==(const Event&) const = default;
};

/// What a follower does when it is to lead.
enum class Manner { kComputesLater, kGivesUpAtOnce, kFulfilsAtOnce };

/// The cache as one would explain it: plain lists, searched from end to end.
class Model {
 public:
  struct Entry {
    int key;
    int value;
    std::size_t bytes;
    Time stored;
  };
  struct Follower {
    int id;
    Manner manner;
    int value;  // that it fulfils with at once
    std::size_t cost;
  };
  struct Flight {
    bool is_led = true;
    std::deque<Follower> followers;
  };

  explicit Model(CacheLimits limits) : limits_(limits) {}

  std::optional<int> find(int key, Time now) {
    const auto found = std::ranges::find(entries, key, &Entry::key);
    if (found == entries.end() || now - found->stored >= limits_.ttl) return std::nullopt;
    std::rotate(found, found + 1, entries.end());
    return entries.back().value;
  }

  void fulfil(int key, int value, std::size_t cost, Time now) {
    for (const Follower& follower : flights.at(key).followers) events.push_back({follower.id, value});
    flights.erase(key);
    std::erase_if(entries,
                  [&](const Entry& entry) { return entry.key == key || now - entry.stored >= limits_.ttl; });
    if (cost + kCacheEntryBytes > limits_.bytes) return;
    entries.push_back({key, value, cost + kCacheEntryBytes, now});
    for (; bytes() > limits_.bytes; ++evictions) entries.erase(entries.begin());
  }

  void give_up(int key, Time now) {
    Flight& flight = flights.at(key);
    while (!flight.followers.empty()) {
      const Follower next = flight.followers.front();
      flight.followers.pop_front();
      events.push_back({next.id, std::nullopt});
      if (next.manner == Manner::kComputesLater) return;
      if (next.manner == Manner::kFulfilsAtOnce) return fulfil(key, next.value, next.cost, now);
    }
    flights.erase(key);
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Entry& entry : entries) sum += entry.bytes;
    return sum;
  }

  std::vector<Entry> entries;  // the one not used for longest first
  std::map<int, Flight> flights;
  std::vector<Event> events;
  std::uint64_t evictions = 0;

 private:
  CacheLimits limits_;
};

class CacheSimulation {
 public:
  explicit CacheSimulation(unsigned seed)
      : random_(seed),
        limits_{.bytes = random_() % 3000, .ttl = random_() % 50 * 1ms},
        model_(limits_),
        cache_(limits_) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      const auto what = random_() % 100;
      if (what < 50) look_up();
      if (what >= 50 && what < 65) fulfil();
      if (what >= 65 && what < 75) give_up();
      if (what >= 75 && what < 85) withdraw();
      if (what >= 85) now_ += random_() % 5 * 1ms;
      audit();
    }
    while (!leads_.empty()) give_up();
    audit();
  }

 private:
  struct Following {
    int key;
    int id;
    IntCache::Ticket ticket;
  };

  static CacheKey key_of(int key) { return KeyBuilder().add(static_cast<std::uint64_t>(key)).finish(); }
  std::size_t random_cost() { return random_() % 5 == 0 ? random_() % 4000 : random_() % 300; }

  void look_up() {
    const int key = static_cast<int>(random_() % 8);
    const Model::Follower follower{next_++, static_cast<Manner>(random_() % 3), next_++, random_cost()};
    auto found = cache_.look_up(key_of(key), now_, waiter(key, follower));
    if (const auto open = model_.flights.find(key); open != model_.flights.end()) {
      ASSERT_TRUE(std::holds_alternative<IntCache::Ticket>(found));
      open->second.followers.push_back(follower);
      following_.push_back({key, follower.id, std::get<IntCache::Ticket>(found)});
      ++coalesced_;
    } else if (const auto value = model_.find(key, now_)) {
      ASSERT_TRUE(std::holds_alternative<IntCache::ValuePtr>(found));
      EXPECT_EQ(*std::get<IntCache::ValuePtr>(found), *value);
      ++hits_;
    } else {
      ASSERT_TRUE(std::holds_alternative<IntCache::Lead>(found));
      model_.flights[key];
      keep(key, std::move(std::get<IntCache::Lead>(found)));
      ++misses_;
    }
  }

  IntCache::Waiter waiter(int key, const Model::Follower& follower) {
    return [this, key, follower](IntCache::Outcome outcome) {
      if (const auto* value = std::get_if<IntCache::ValuePtr>(&outcome))
        return events_.push_back({follower.id, **value});
      events_.push_back({follower.id, std::nullopt});
      auto& lead = std::get<IntCache::Lead>(outcome);
      if (follower.manner == Manner::kFulfilsAtOnce)
        lead.fulfil(std::make_shared<int>(follower.value), follower.cost, now_);
      if (follower.manner == Manner::kComputesLater) keep(key, std::move(lead));
    };
  }

  void keep(int key, IntCache::Lead lead) {
    EXPECT_TRUE(leads_.emplace(key, std::move(lead)).second) << "key " << key << " has two leaders";
  }

  std::optional<std::pair<int, IntCache::Lead>> take_lead() {
    if (leads_.empty()) return std::nullopt;
    auto node =
        leads_.extract(std::next(leads_.begin(), static_cast<std::ptrdiff_t>(random_() % leads_.size())));
    return std::pair(node.key(), std::move(node.mapped()));
  }

  void fulfil() {
    auto lead = take_lead();
    if (!lead) return;
    const int value = next_++;
    const std::size_t cost = random_cost();
    lead->second.fulfil(std::make_shared<int>(value), cost, now_);
    model_.fulfil(lead->first, value, cost, now_);
  }

  void give_up() {
    auto lead = take_lead();
    if (!lead) return;
    const int key = lead->first;
    lead.reset();
    model_.give_up(key, now_);
  }

  void withdraw() {
    if (following_.empty()) return;
    const Following& one = following_[random_() % following_.size()];
    const auto flight = model_.flights.find(one.key);
    const bool waits = flight != model_.flights.end() &&
                       std::erase_if(flight->second.followers,
                                     [&](const auto& follower) { return follower.id == one.id; }) > 0;
    EXPECT_EQ(cache_.withdraw(one.ticket), waits);
  }

  /// Each waiter has been called when, in the order and with what the model says, and no other.
  void audit() {
    EXPECT_EQ(events_, model_.events);
    const CacheStatistics statistics = cache_.statistics();
    EXPECT_LE(statistics.bytes, limits_.bytes);
    EXPECT_EQ(statistics.evictions, model_.evictions);
    EXPECT_EQ(statistics.hits, hits_);
    EXPECT_EQ(statistics.misses, misses_);
    EXPECT_EQ(statistics.coalesced, coalesced_);
    std::vector<int> led;
    for (const auto& [key, lead] : leads_) led.push_back(key);
    std::vector<int> open;
    for (const auto& [key, flight] : model_.flights) open.push_back(key);
    EXPECT_EQ(led, open);
  }

  std::mt19937 random_;
  CacheLimits limits_;
  Model model_;
  std::vector<Event> events_;
  std::vector<Following> following_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t coalesced_ = 0;
  Time now_{1h};
  int next_ = 0;
  IntCache cache_;
  std::map<int, IntCache::Lead> leads_;
};

TEST(ResponseCacheProperty, EachWaiterIsToldOnceAndLimitsAndOrderHold) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    CacheSimulation(seed).run(400);
  }
}

}  // namespace
}  // namespace kefu::runtime
