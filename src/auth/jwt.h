#pragma once
// JSON Web Tokens of issuers whose keys are known (RFC 7519, compact JWS of RFC 7515).

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "auth/signature_key.h"

namespace kefu::auth {

/// One key of an issuer and what its tokens must say. An issuer may have more, each with a key_id then.
struct JwtIssuer {
  SignatureKey key;      // and with it the only algorithm
  std::string issuer;    // the claim iss; is_loggable(), without '#'
  std::string audience;  // the claim aud, or one of it
  std::string key_id{};  // the header's kid; empty: any or none
  std::string tenant_claim = "tenant";
  std::string scopes_claim = "scope";
  std::optional<RateLimit> limit{};  // of each subject
  std::chrono::seconds leeway{30};   // by which exp is later and nbf earlier
};

/// True for what has the form of a JWT: a JSON object in Base64 and two dots.
bool looks_like_jwt(std::string_view credential);

/// The subject of a token that one of `issuers` has signed and that is valid at `now`. kUnauthenticated with
/// what is wrong, without a word of the token. Beyond RFC 7519: exp and sub must be there, crit must not, no
/// object names a member twice, and sub and the tenant are fit for logs. Scopes that are not ours are left
/// out.
Result<Principal> verify_jwt(std::string_view token, std::span<const JwtIssuer> issuers,
                             std::chrono::system_clock::time_point now);

}  // namespace kefu::auth
