#pragma once
// Where a server is.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu::net {

struct Url {
  bool is_grpc = false;    // else HTTP/1.1
  bool is_secure = false;  // over TLS
  std::string host{};      // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;

  /// "localhost:8080", "[::1]:8080".
  std::string authority() const;

  /// "https://localhost:8080".
  std::string text() const;
};

/// "http://HOST:PORT" or "grpc://HOST:PORT", over TLS "https:" and "grpcs:". kInvalidArgument says what else
/// is wrong with it.
Result<Url> parse_url(std::string_view text);

}  // namespace kefu::net
