#include "auth/rate_limiter.h"

#include <algorithm>

namespace kefu::auth {
namespace {

/// Full buckets that one call forgets. More than the one it may add, so that they do not pile up; few, so
/// that no call waits for thousands.
constexpr int kForgottenAtOnce = 2;

}  // namespace

Error over_limit(const RateLimit& limit, Duration wait) {
  return {Code::kResourceExhausted,
          fmt::format("more requests than the caller's limit of {} per second (burst {}); try again in {} s",
                      limit.per_second, limit.burst, std::chrono::ceil<std::chrono::seconds>(wait).count())};
}

/// The generic cell rate algorithm: when the bucket will be full says how many tokens it lacks.
std::optional<Duration> RateLimiter::take(std::string_view id, const RateLimit& limit, Time now) {
  const auto token = std::chrono::round<Duration>(std::chrono::duration<double>(1 / limit.per_second));
  const std::lock_guard lock(mutex_);
  forget_full(now);
  const auto found = full_at_.find(id);
  const Time full_at = found == full_at_.end() ? now : std::max(now, found->second);
  const Duration wait = full_at - now - token * (limit.burst - 1);
  if (wait > Duration::zero()) return wait;
  keep(id, full_at + token);
  return std::nullopt;
}

std::size_t RateLimiter::callers() const {
  const std::lock_guard lock(mutex_);
  return full_at_.size();
}

void RateLimiter::forget(Buckets::iterator bucket) {
  order_.erase({bucket->second, bucket->first});
  full_at_.erase(bucket);
}

void RateLimiter::forget_full(Time now) {
  for (int i = 0; i < kForgottenAtOnce && !order_.empty() && order_.begin()->first <= now; ++i)
    forget(full_at_.find(order_.begin()->second));
}

void RateLimiter::keep(std::string_view id, Time full_at) {
  const auto found = full_at_.find(id);
  if (found != full_at_.end()) {
    forget(found);
  } else if (full_at_.size() >= max_callers_) {
    forget(full_at_.find(order_.begin()->second));
  }
  const auto kept = full_at_.emplace(id, full_at).first;
  order_.emplace(full_at, kept->first);
}

}  // namespace kefu::auth
