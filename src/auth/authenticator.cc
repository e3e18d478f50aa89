#include "auth/authenticator.h"

namespace kefu::auth {
namespace {

/// Longer ones cost no hash and no parse.
constexpr std::size_t kMaxCredentialBytes = 8 * 1024;

}  // namespace

Result<std::shared_ptr<const Authenticator>> Authenticator::load(const std::filesystem::path& file) {
  KEFU_ASSIGN(Credentials credentials, read_credentials(file));
  return std::make_shared<const Authenticator>(std::move(credentials));
}

Result<Principal> Authenticator::authenticate(std::string_view credential,
                                              std::chrono::system_clock::time_point now) const {
  if (credential.empty()) return fail(Code::kUnauthenticated, "the credential is empty");
  if (credential.size() > kMaxCredentialBytes) {
    return fail(Code::kUnauthenticated, "the credential has {} bytes; at most {} are read", credential.size(),
                kMaxCredentialBytes);
  }
  return looks_like_jwt(credential) ? verify_jwt(credential, credentials_.issuers, now)
                                    : check_api_key(credential, credentials_.keys, now);
}

}  // namespace kefu::auth
