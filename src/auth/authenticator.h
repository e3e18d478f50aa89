#pragma once
// Who a caller is, by the credential it sends.

#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>

#include "auth/credentials_file.h"

namespace kefu::auth {

/// Immutable; safe to use from any thread.
class Authenticator {
 public:
  /// From a credentials file, and the key files it names. kInvalidArgument with file:line.
  static Result<std::shared_ptr<const Authenticator>> load(const std::filesystem::path& file);

  explicit Authenticator(Credentials credentials) : credentials_(std::move(credentials)) {}

  /// `credential` is an API key or a JWT: see credential_of(). kUnauthenticated with a sentence for the
  /// caller that quotes nothing of it. Does not block.
  Result<Principal> authenticate(std::string_view credential,
                                 std::chrono::system_clock::time_point now) const;

 private:
  Credentials credentials_;
};

}  // namespace kefu::auth
