// libFuzzer: no bytes are a token that is accepted, unless the right key has signed them; and then only with
// the claims that must be there. The first byte chooses: the rest is a credential, or a header and a payload
// (after the first line break) that are signed with the right or a wrong secret.

#include <cstdint>
#include <cstdlib>

#include "auth/authenticator.h"
#include "auth/sample_tokens.h"

namespace {

namespace auth = kefu::auth;

/// One key of each algorithm; their tokens have the issuers HS256, RS256 and ES256.
auth::Authenticator make_authenticator() {
  auth::Credentials credentials;
  const auto add = [&credentials](const char* name, auth::Algorithm algorithm, std::string_view content) {
    auto key = auth::SignatureKey::read(algorithm, content);
    if (!key.has_value()) std::abort();
    credentials.issuers.push_back({.key = *std::move(key), .issuer = name, .audience = "kefu"});
  };
  add("HS256", auth::Algorithm::kHs256, auth::samples::kSecret);
  add("RS256", auth::Algorithm::kRs256, auth::samples::kRsaKey);
  add("ES256", auth::Algorithm::kEs256, auth::samples::kEcKey);
  return auth::Authenticator(std::move(credentials));
}

/// An error has a message, a principal is a subject of the issuer that signs here.
bool is_accepted(std::string_view credential) {
  static const auth::Authenticator authenticator = make_authenticator();
  const std::chrono::system_clock::time_point now(std::chrono::seconds(1'750'000'000));
  const auto principal = authenticator.authenticate(credential, now);
  if (!principal.has_value()) {
    if (principal.error().code != kefu::Code::kUnauthenticated || principal.error().message.empty())
      std::abort();
    return false;
  }
  if (!principal->id.starts_with("HS256#") || !auth::is_loggable(principal->id.substr(6))) std::abort();
  if (!principal->tenant.empty() && !auth::is_name(principal->tenant)) std::abort();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = rest.find('\n');
  if (data[0] % 3 == 0 || end == std::string_view::npos) {
    if (is_accepted(rest)) std::abort();
    return 0;
  }
  const std::string_view header = rest.substr(0, end);
  const std::string_view payload = rest.substr(end + 1);
  if (data[0] % 3 == 1) {
    if (is_accepted(auth::samples::hs256_token(header, payload, auth::samples::kRsaKey))) std::abort();
    return 0;
  }
  std::string token = auth::samples::hs256_token(header, payload);
  if (!is_accepted(token)) return 0;
  token.back() = token.back() == 'A' ? 'E' : 'A';
  if (is_accepted(token)) std::abort();
  return 0;
}
