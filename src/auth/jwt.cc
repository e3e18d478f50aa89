#include "auth/jwt.h"

#include <algorithm>
#include <array>

#include "auth/base64url.h"
#include "auth/jwt_members.h"

namespace kefu::auth {
namespace {

namespace dom = simdjson::dom;

/// The parts of a compact JWS, as they are encoded.
struct JwtParts {
  std::string_view header;
  std::string_view payload;
  std::string_view signed_part;  // header, dot, payload
  std::string_view signature;
};

struct JwtHeader {
  std::string algorithm;
  std::optional<std::string> key_id;
};

/// `token` looks like a JWT.
JwtParts split_jwt(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  return {.header = token.substr(0, first),
          .payload = token.substr(first + 1, second - first - 1),
          .signed_part = token.substr(0, second),
          .signature = token.substr(second + 1)};
}

/// RFC 7515 §4.1.9 and RFC 9068 §2.1: media types, whose names know no case and may leave out "application/".
bool is_jwt_type(std::string_view type) {
  std::string name(type);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array<std::string_view, 4> kTypes{"jwt", "at+jwt", "application/jwt", "application/at+jwt"};
  return std::ranges::find(kTypes, name) != kTypes.end();
}

Result<JwtHeader> read_jwt_header(std::string_view encoded) {
  JwtHeader header;
  KEFU_CHECK(with_members(encoded, "header", [&header](const JwtMembers& members) -> Result<void> {
    if (members.contains("crit"))
      return fail(Code::kUnauthenticated, "the token has critical extensions (crit); none is understood");
    KEFU_ASSIGN(const auto type, find_text(members, "typ"));
    if (type && !is_jwt_type(*type))
      return fail(Code::kUnauthenticated, "the token's type (typ) is neither JWT nor at+jwt");
    KEFU_ASSIGN(header.algorithm, require_text(members, "alg"));
    KEFU_ASSIGN(header.key_id, find_text(members, "kid"));
    return {};
  }));
  return header;
}

/// The key that must have signed the token. `issuer` is what the token says, which nobody has verified yet.
Result<const JwtIssuer*> find_issuer(std::span<const JwtIssuer> issuers, std::string_view issuer,
                                     const JwtHeader& header) {
  bool known = false;
  for (const JwtIssuer& candidate : issuers) {
    if (candidate.issuer != issuer) continue;
    known = true;
    if (!candidate.key_id.empty() && header.key_id != candidate.key_id) continue;
    if (find_algorithm(header.algorithm) != candidate.key.algorithm()) {
      return fail(Code::kUnauthenticated,
                  "the token's algorithm (alg) is not the one that its issuer's key is for");
    }
    return &candidate;
  }
  if (!known) return fail(Code::kUnauthenticated, "the token's issuer (iss) is not known");
  return fail(Code::kUnauthenticated, "the token's key (kid) is not known");
}

/// RFC 7519 §4.1.4 and §4.1.5.
Result<void> check_validity(const JwtMembers& claims, const JwtIssuer& issuer,
                            std::chrono::system_clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
  const auto leeway = static_cast<double>(issuer.leeway.count());
  KEFU_ASSIGN(const auto expires, find_date(claims, "exp"));
  if (!expires) return fail(Code::kUnauthenticated, "the token has no \"exp\"");
  if (seconds >= *expires + leeway) return fail(Code::kUnauthenticated, "the token has expired");
  KEFU_ASSIGN(const auto begins, find_date(claims, "nbf"));
  if (begins && seconds < *begins - leeway)
    return fail(Code::kUnauthenticated, "the token is not valid yet (nbf)");
  return {};
}

/// RFC 7519 §4.1.3: a string or an array of strings.
bool is_for(const JwtMembers& claims, std::string_view audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  const auto is_audience = [&](const dom::element& value) {
    std::string_view text;
    return value.get(text) == simdjson::SUCCESS && text == audience;
  };
  dom::array list;
  if (found->second.get(list) == simdjson::SUCCESS) return std::any_of(list.begin(), list.end(), is_audience);
  return is_audience(found->second);
}

void add_scope(std::string_view name, Scopes& scopes) {
  if (const auto scope = find_scope(name)) scopes.add(*scope);
}

/// Names with blanks between them (RFC 8693 §4.2) or an array of names.
Result<Scopes> read_jwt_scopes(const JwtMembers& claims, const std::string& name) {
  Scopes scopes;
  const auto found = claims.find(name);
  if (found == claims.end()) return scopes;
  dom::array list;
  if (found->second.get(list) != simdjson::SUCCESS) {
    KEFU_ASSIGN(std::string_view text, require_text(claims, name));
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      add_scope(text.substr(0, end), scopes);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
  }
  for (const dom::element& value : list) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS)
      return fail(Code::kUnauthenticated, "the token's \"{}\" holds something that is not a string", name);
    add_scope(text, scopes);
  }
  return scopes;
}

/// `claims` are the issuer's.
Result<Principal> check_claims(const JwtMembers& claims, const JwtIssuer& issuer,
                               std::chrono::system_clock::time_point now) {
  KEFU_CHECK(check_validity(claims, issuer, now));
  if (!is_for(claims, issuer.audience))
    return fail(Code::kUnauthenticated, "the token is for another audience (aud)");
  KEFU_ASSIGN(const auto subject, require_text(claims, "sub"));
  if (!is_loggable(subject)) {
    return fail(Code::kUnauthenticated,
                "the token's subject (sub) is empty, longer than 255 bytes, or has characters other than "
                "printable ASCII without '\"' and '\\'");
  }
  KEFU_ASSIGN(const auto tenant, find_text(claims, issuer.tenant_claim));
  if (tenant && !is_name(*tenant)) {
    return fail(Code::kUnauthenticated, "the token's \"{}\" is not 1 to 64 of A-Z a-z 0-9 . _ -",
                issuer.tenant_claim);
  }
  KEFU_ASSIGN(const Scopes scopes, read_jwt_scopes(claims, issuer.scopes_claim));
  return Principal{.id = fmt::format("{}#{}", issuer.issuer, subject),
                   .tenant = std::string(tenant.value_or("")),
                   .scopes = scopes,
                   .limit = issuer.limit};
}

}  // namespace

bool looks_like_jwt(std::string_view credential) {
  return credential.starts_with("eyJ") && std::ranges::count(credential, '.') == 2;
}

Result<Principal> verify_jwt(std::string_view token, std::span<const JwtIssuer> issuers,
                             std::chrono::system_clock::time_point now) {
  const JwtParts parts = split_jwt(token);
  KEFU_ASSIGN(const JwtHeader header, read_jwt_header(parts.header));
  const auto signature = decode_base64url(parts.signature);
  if (!signature) return fail(Code::kUnauthenticated, "the token's signature is not valid Base64url");
  Principal principal;
  KEFU_CHECK(with_members(parts.payload, "payload", [&](const JwtMembers& claims) -> Result<void> {
    KEFU_ASSIGN(const std::string_view iss, require_text(claims, "iss"));
    KEFU_ASSIGN(const JwtIssuer* issuer, find_issuer(issuers, iss, header));
    if (!issuer->key.verify(parts.signed_part, *signature))
      return fail(Code::kUnauthenticated, "the token's signature is wrong");
    KEFU_ASSIGN(principal, check_claims(claims, *issuer, now));
    return {};
  }));
  return principal;
}

}  // namespace kefu::auth
