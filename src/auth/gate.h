#pragma once
// Whether a caller may come in.

#include <memory>
#include <string_view>

#include "auth/authenticator.h"
#include "auth/rate_limiter.h"

namespace kefu::auth {

/// Thread-safe.
class Gate {
 public:
  /// An open one: everybody may do everything.
  Gate() = default;
  /// One that asks for credentials.
  explicit Gate(std::shared_ptr<const Authenticator> authenticator)
      : authenticator_(std::move(authenticator)) {}

  /// The caller, who has a scope and has not used its limit up; of an open gate a nameless one.
  /// `authorization` and `query_token`: see credential_of(). kUnauthenticated: no credential, or not a good
  /// one; kPermissionDenied; kResourceExhausted.
  Result<Principal> admit(std::string_view authorization, std::string_view query_token, Scope needed);

 private:
  std::shared_ptr<const Authenticator> authenticator_;
  RateLimiter limiter_;
};

}  // namespace kefu::auth
