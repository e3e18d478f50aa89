#include "auth/gate.h"

#include "auth/bearer.h"

namespace kefu::auth {
namespace {

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::kInfer:
      return "infer";
    case Scope::kAdmin:
      return "admin";
    case Scope::kMetrics:
      return "metrics";
  }
  return "";
}

}  // namespace

Result<Principal> Gate::admit(std::string_view authorization, std::string_view query_token, Scope needed) {
  if (!authenticator_) return Principal{};
  KEFU_ASSIGN(const auto credential, credential_of(authorization, query_token));
  if (!credential) {
    return fail(Code::kUnauthenticated,
                "a key or a token is needed; send it as \"Authorization: Bearer ...\"");
  }
  KEFU_ASSIGN(Principal principal,
              authenticator_->authenticate(*credential, std::chrono::system_clock::now()));
  if (!principal.scopes.contains(needed))
    return fail(Code::kPermissionDenied, "this needs a credential with the scope {}", scope_name(needed));
  if (!principal.limit) return principal;
  const auto wait = limiter_.take(principal.id, *principal.limit, std::chrono::steady_clock::now());
  if (wait) return tl::unexpected(over_limit(*principal.limit, *wait));
  return principal;
}

}  // namespace kefu::auth
