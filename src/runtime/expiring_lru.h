#pragma once
// Values by key, bounded in bytes and in age. A value: no threads, no locks, no clock of its own.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>

#include "runtime/batch_policy.h"
#include "runtime/cache_key.h"

namespace kefu::runtime {

struct CacheLimits {
  std::size_t bytes = std::size_t{64} << 20;  // 0: nothing is kept
  Duration ttl = std::chrono::minutes(5);     // a value's age from which it is not given any more
};

/// What an entry takes beside its value: key, links of the three indices, the value's control block.
inline constexpr std::size_t kCacheEntryBytes = 192;

/// What is too old goes first, then what has not been used for longest.
template <typename Value>
class ExpiringLru {
 public:
  using ValuePtr = std::shared_ptr<const Value>;
  /// Values removed by a call, so that the caller can free them when it holds no lock.
  using Removed = std::vector<ValuePtr>;

  explicit ExpiringLru(CacheLimits limits) : limits_(limits) {}

  /// The value, which counts as used; null: none, or too old.
  ValuePtr find(const CacheKey& key, Time now, Removed& removed) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    if (found->expiry <= now) {
      remove(found, removed);
      return nullptr;
    }
    auto& by_use = entries_.template get<ByUse>();
    by_use.relocate(by_use.end(), entries_.template project<ByUse>(found));
    return found->value;
  }

  /// Keeps a value of `cost` bytes in place of the key's last one, unless it is larger than all the room.
  /// Returns how many others had to leave before their time.
  std::size_t put(const CacheKey& key, ValuePtr value, std::size_t cost, Time now, Removed& removed) {
    if (const auto last = entries_.find(key); last != entries_.end()) remove(last, removed);
    remove_expired(now, removed);
    if (limits_.bytes < kCacheEntryBytes || cost > limits_.bytes - kCacheEntryBytes) return 0;
    const std::size_t bytes = cost + kCacheEntryBytes;
    std::size_t evicted = 0;
    auto& by_use = entries_.template get<ByUse>();
    for (; bytes > limits_.bytes - bytes_; ++evicted)
      remove(entries_.template project<ByKey>(by_use.begin()), removed);
    const Time expiry = now + std::min(limits_.ttl, Time::max() - now);
    entries_.insert({key, std::move(value), bytes, expiry});
    bytes_ += bytes;
    return evicted;
  }

  /// Of all entries, kCacheEntryBytes each included; never above the limit.
  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    CacheKey key;
    ValuePtr value;
    std::size_t bytes = 0;
    Time expiry;
  };
  struct ByKey {};
  struct ByUse {};  // the one not used for longest first
  struct ByExpiry {};
  using Entries = boost::multi_index_container<
      Entry,
      boost::multi_index::indexed_by<
          boost::multi_index::hashed_unique<boost::multi_index::tag<ByKey>,
                                            boost::multi_index::member<Entry, CacheKey, &Entry::key>,
                                            std::hash<CacheKey>>,
          boost::multi_index::sequenced<boost::multi_index::tag<ByUse>>,
          boost::multi_index::ordered_non_unique<boost::multi_index::tag<ByExpiry>,
                                                 boost::multi_index::member<Entry, Time, &Entry::expiry>>>>;

  void remove_expired(Time now, Removed& removed) {
    const auto& by_expiry = entries_.template get<ByExpiry>();
    while (!by_expiry.empty() && by_expiry.begin()->expiry <= now)
      remove(entries_.template project<ByKey>(by_expiry.begin()), removed);
  }

  void remove(typename Entries::iterator entry, Removed& removed) {
    bytes_ -= entry->bytes;
    removed.push_back(entry->value);
    entries_.erase(entry);
  }

  CacheLimits limits_;
  std::size_t bytes_ = 0;
  Entries entries_;
};

}  // namespace kefu::runtime
