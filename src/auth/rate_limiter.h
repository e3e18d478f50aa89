#pragma once
// How many requests a caller may send: a token bucket each.

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu::auth {

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// A bucket of `burst` tokens into which `per_second` more flow; a request takes one.
struct RateLimit {
  double per_second = 0;  // 0.001 to 1'000'000
  int burst = 1;          // 1 to 1'000'000
};

/// kResourceExhausted, naming the limit and the wait in whole seconds, rounded up as Retry-After wants them.
Error over_limit(const RateLimit& limit, Duration wait);

/// The buckets of all callers. Thread-safe; no clock of its own. At most `max_callers` buckets are kept,
/// about 200 bytes and an id each: one more evicts the bucket that would be full soonest, whose caller then
/// begins with a full one. A full bucket says nothing, so evicting it changes nothing.
class RateLimiter {
 public:
  explicit RateLimiter(std::size_t max_callers = 100'000) : max_callers_(max_callers) {}

  /// None: a token has been taken. Else none was there, and the next one will be after this wait.
  std::optional<Duration> take(std::string_view id, const RateLimit& limit, Time now);

  std::size_t callers() const;

 private:
  using Buckets = std::map<std::string, Time, std::less<>>;

  void forget(Buckets::iterator bucket);
  void forget_full(Time now);
  void keep(std::string_view id, Time full_at);

  std::size_t max_callers_;
  mutable std::mutex mutex_;
  Buckets full_at_;                                    // by id: when the bucket will be full
  std::set<std::pair<Time, std::string_view>> order_;  // the same, soonest first; views of the keys above
};

}  // namespace kefu::auth
