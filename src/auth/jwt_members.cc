#include "auth/jwt_members.h"

#include "auth/base64url.h"

namespace kefu::auth {
namespace {

namespace dom = simdjson::dom;

Result<JwtMembers> members_of(const dom::element& root, std::string_view part) {
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS)
    return fail(Code::kUnauthenticated, "the token's {} is no JSON object", part);
  JwtMembers members;
  for (const auto& [name, value] : object) {
    // RFC 7515 §4: which of the two counts must not be a matter of the parser.
    if (!members.emplace(name, value).second)
      return fail(Code::kUnauthenticated, "the token's {} names a member twice", part);
  }
  return members;
}

}  // namespace

Result<void> with_members(std::string_view encoded, std::string_view part,
                          const std::function<Result<void>(const JwtMembers&)>& use) {
  const auto json = decode_base64url(encoded);
  if (!json) return fail(Code::kUnauthenticated, "the token's {} is not valid Base64url", part);
  Result<void> outcome;
  const auto read = with_json(*json, "a JSON object", [&](const dom::element& root) -> Result<void> {
    const auto members = members_of(root, part);
    outcome = members ? use(*members) : tl::unexpected(members.error());
    return {};
  });
  if (!read) return fail(Code::kUnauthenticated, "the token's {} is not valid JSON", part);
  return outcome;
}

Result<std::optional<std::string_view>> find_text(const JwtMembers& members, const std::string& name) {
  const auto found = members.find(name);
  if (found == members.end()) return std::nullopt;
  std::string_view text;
  if (found->second.get(text) != simdjson::SUCCESS)
    return fail(Code::kUnauthenticated, "the token's \"{}\" is not a string", name);
  return text;
}

Result<std::string_view> require_text(const JwtMembers& members, const std::string& name) {
  KEFU_ASSIGN(const auto text, find_text(members, name));
  if (!text) return fail(Code::kUnauthenticated, "the token has no \"{}\"", name);
  return *text;
}

Result<std::optional<double>> find_date(const JwtMembers& members, const std::string& name) {
  const auto found = members.find(name);
  if (found == members.end()) return std::nullopt;
  double seconds = 0;
  if (found->second.get(seconds) != simdjson::SUCCESS)
    return fail(Code::kUnauthenticated, "the token's \"{}\" is not a number", name);
  return seconds;
}

}  // namespace kefu::auth
