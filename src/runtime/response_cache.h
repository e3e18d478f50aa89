#pragma once
// Replies kept for equal requests, and equal requests that come at once computed once.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <variant>

#include "runtime/cache_statistics.h"
#include "runtime/expiring_lru.h"

namespace kefu::runtime {

/// Of the requests with one key that nobody has answered yet, one leads, which is to compute the answer, and
/// the others follow, which wait for it. A leader that gives up, for whatever reason, is succeeded by the
/// follower that has waited longest; so errors are neither kept nor shared.
///
/// Thread-safe. Waiters and values' destructors run without locks. It outlives its leads.
template <typename Value>
class ResponseCache {
  struct Flight;

 public:
  using ValuePtr = std::shared_ptr<const Value>;

  /// The duty to compute. Its holder calls fulfil() or gives up, which the destructor does too.
  class Lead {
   public:
    Lead(Lead&& other) noexcept : cache_(other.cache_), flight_(std::move(other.flight_)) {}
    Lead& operator=(Lead&&) = delete;
    ~Lead() { give_up(); }

    /// Keeps the value, of `cost` bytes, and answers all followers on this thread. Larger values than the
    /// cache has room for are not kept.
    void fulfil(const ValuePtr& value, std::size_t cost, Time now) {
      if (flight_ != nullptr) cache_->fulfil(*std::exchange(flight_, nullptr), value, cost, now);
    }

    /// Lets the next follower lead; its waiter is called on this thread, or on one that is just doing the
    /// same for this key.
    void give_up() {
      if (flight_ != nullptr) cache_->hand_over(std::exchange(flight_, nullptr));
    }

   private:
    friend ResponseCache;
    Lead(ResponseCache& cache, std::shared_ptr<Flight> flight) : cache_(&cache), flight_(std::move(flight)) {}

    ResponseCache* cache_;
    std::shared_ptr<Flight> flight_;  // null: nothing is left to do
  };

  /// What a follower waits for: the value, or its turn to lead.
  using Outcome = std::variant<ValuePtr, Lead>;
  /// Called once, unless it is withdrawn; must neither block nor throw.
  using Waiter = std::function<void(Outcome)>;

  /// A follower's place.
  class Ticket {
   private:
    friend ResponseCache;
    std::weak_ptr<Flight> flight_;
    std::uint64_t place_ = 0;
  };

  explicit ResponseCache(CacheLimits limits) : kept_(limits) {}
  ResponseCache(const ResponseCache&) = delete;
  ResponseCache& operator=(const ResponseCache&) = delete;

  /// The value; or none, and the caller leads; or the caller follows, and the waiter, which is dropped
  /// otherwise, may be called before this returns.
  std::variant<ValuePtr, Lead, Ticket> look_up(const CacheKey& key, Time now, Waiter waiter) {
    typename Kept::Removed removed;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    if (const auto open = flights_.find(key); open != flights_.end()) {
      count(coalesced_);
      return follow(open->second, std::move(waiter));
    }
    ValuePtr value = kept_.find(key, now, removed);
    bytes_.store(kept_.bytes(), kRelaxed);
    if (value != nullptr) {
      count(hits_);
      return value;
    }
    count(misses_);
    return Lead(*this, flights_.emplace(key, std::make_shared<Flight>(key)).first->second);
  }

  /// For a follower that does not want its answer any more. True: its waiter will not be called; false: it
  /// has been or is about to be.
  bool withdraw(const Ticket& ticket) {
    Waiter waiter;  // destroyed after the lock
    const auto flight = ticket.flight_.lock();
    if (flight == nullptr) return false;
    const std::lock_guard lock(mutex_);
    const auto found = flight->followers.find(ticket.place_);
    if (found == flight->followers.end()) return false;
    waiter = std::move(found->second);
    flight->followers.erase(found);
    return true;
  }

  /// Takes no lock.
  CacheStatistics statistics() const {
    return {hits_.load(kRelaxed), misses_.load(kRelaxed), coalesced_.load(kRelaxed),
            evictions_.load(kRelaxed), bytes_.load(kRelaxed)};
  }

 private:
  using Kept = ExpiringLru<Value>;
  using Followers = std::map<std::uint64_t, Waiter>;  // by place, the first to come first
  using Counter = std::atomic<std::uint64_t>;
  static constexpr auto kRelaxed = std::memory_order_relaxed;  // counters order nothing else

  /// The requests of a key without an answer. Guarded by the cache's mutex.
  struct Flight {
    explicit Flight(const CacheKey& its_key) : key(its_key) {}

    CacheKey key;
    Followers followers;
    std::uint64_t next_place = 0;
    bool is_led = true;
    bool is_handed_over = false;  // some thread is looking for the next leader
  };

  static void count(Counter& counter, std::uint64_t by = 1) { counter.fetch_add(by, kRelaxed); }

  static Ticket follow(const std::shared_ptr<Flight>& flight, Waiter waiter) {
    Ticket ticket;
    ticket.flight_ = flight;
    ticket.place_ = flight->next_place++;
    flight->followers.emplace(ticket.place_, std::move(waiter));
    return ticket;
  }

  void fulfil(Flight& flight, const ValuePtr& value, std::size_t cost, Time now) {
    Followers followers;
    typename Kept::Removed removed;
    {
      const std::lock_guard lock(mutex_);
      followers.swap(flight.followers);
      count(evictions_, kept_.put(flight.key, value, cost, now, removed));
      bytes_.store(kept_.bytes(), kRelaxed);
      flights_.erase(flight.key);
    }
    for (const auto& [place, waiter] : followers) waiter(value);
  }

  /// A loop: a waiter that gives up at once comes back here, and with recursion the stack would be as deep as
  /// there are followers.
  void hand_over(const std::shared_ptr<Flight>& flight) {
    std::unique_lock lock(mutex_);
    flight->is_led = false;
    if (std::exchange(flight->is_handed_over, true)) return;
    while (!flight->is_led && !flight->followers.empty()) {
      flight->is_led = true;
      auto next = flight->followers.extract(flight->followers.begin());
      lock.unlock();
      std::exchange(next.mapped(), nullptr)(Lead(*this, flight));
      lock.lock();
    }
    flight->is_handed_over = false;
    if (!flight->is_led) flights_.erase(flight->key);
  }

  std::mutex mutex_;
  Kept kept_;
  std::unordered_map<CacheKey, std::shared_ptr<Flight>> flights_;
  Counter hits_ = 0;
  Counter misses_ = 0;
  Counter coalesced_ = 0;
  Counter evictions_ = 0;
  Counter bytes_ = 0;
};

}  // namespace kefu::runtime
