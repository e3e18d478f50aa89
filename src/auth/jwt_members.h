#pragma once
// The JSON objects of a token, and their members by type. Errors are kUnauthenticated and never quote a
// value.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_input.h"

namespace kefu::auth {

/// By name; views of a document that lives as long as `use` of with_members() runs.
using JwtMembers = std::map<std::string_view, simdjson::dom::element>;

/// Decodes a part of a token, called `part` in errors, and calls `use` with its members. An error if the part
/// is not Base64url of a JSON object with unique names, else what `use` returns. Not to be nested.
Result<void> with_members(std::string_view encoded, std::string_view part,
                          const std::function<Result<void>(const JwtMembers&)>& use);

/// A string; none if there is no such member, an error if it is something else.
Result<std::optional<std::string_view>> find_text(const JwtMembers& members, const std::string& name);

/// A string that must be there.
Result<std::string_view> require_text(const JwtMembers& members, const std::string& name);

/// Seconds since 1970 (NumericDate of RFC 7519 §2).
Result<std::optional<double>> find_date(const JwtMembers& members, const std::string& name);

}  // namespace kefu::auth
