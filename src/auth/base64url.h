#pragma once
// Base64 with the URL-safe alphabet, as JWS writes it (RFC 7515 §2, RFC 4648 §5).

#include <optional>
#include <string>
#include <string_view>

namespace kefu::auth {

/// The bytes; none for anything that an encoder would not have written: padding, blanks, other characters, a
/// length no bytes have, or bits left over that are not 0.
std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace kefu::auth
