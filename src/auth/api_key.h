#pragma once
// Keys of which only the digests are stored.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/result.h"

namespace kefu::auth {

struct ApiKey {
  std::string id;      // is_name()
  std::string sha256;  // of the key, 64 lower-case hexadecimal digits
  std::string tenant{};
  Scopes scopes{};
  std::optional<RateLimit> limit{};
  std::optional<std::chrono::sys_days> expires{};  // from the start of this day (UTC) on
};

/// The holder of the key that `credential` is; kUnauthenticated if it is none or has expired. Compares with
/// all keys whatever it finds, each in constant time.
Result<Principal> check_api_key(std::string_view credential, std::span<const ApiKey> keys,
                                std::chrono::system_clock::time_point now);

}  // namespace kefu::auth
