#pragma once
// Where a request carries its credential, and how to keep it out of logs.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu::auth {

/// The credential of a request: X of the Authorization field "Bearer X" (RFC 6750 §2.1, X as in RFC 7235
/// §2.1, token68), else the query parameter `token` (decoded); each is empty if absent. A view of the one it
/// is from; none: the request carries no credential. kUnauthenticated for another scheme or form of the
/// field, whatever the query says.
Result<std::optional<std::string_view>> credential_of(std::string_view authorization,
                                                      std::string_view query_token);

/// A request target with "***" for the value of every query parameter `token`, however its name is spelt
/// (case, percent-encoding, blanks around it). Any bytes will do.
std::string redact(std::string_view target);

}  // namespace kefu::auth
