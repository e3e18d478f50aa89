#pragma once
// Who a caller is and what they may do.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/rate_limiter.h"

namespace kefu::auth {

enum class Scope : std::uint8_t {
  kInfer = 1,
  kAdmin = 2,
  kMetrics = 4,
};

/// A set of scopes.
class Scopes {
 public:
  void add(Scope scope) { bits_ |= static_cast<unsigned>(scope); }
  bool contains(Scope scope) const { return (bits_ & static_cast<unsigned>(scope)) != 0; }
  bool empty() const { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

/// The scope that files and tokens call `name`; none if there is no such scope.
std::optional<Scope> find_scope(std::string_view name);

/// An authenticated caller.
struct Principal {
  std::string id;                    // of a key; "ISSUER#SUBJECT" of a token, which no key's id can be
  std::string tenant;                // empty: of no tenant
  Scopes scopes{};                   // empty: may do nothing
  std::optional<RateLimit> limit{};  // for RateLimiter::take(id, …); none: unlimited
};

/// 1 to 64 of [A-Za-z0-9._-]: fit to be a key's id or a tenant, which go to logs and metrics.
bool is_name(std::string_view text);

/// 1 to 255 printable ASCII characters without '"' and '\': fit to stand between quotes in a log.
bool is_loggable(std::string_view text);

}  // namespace kefu::auth
