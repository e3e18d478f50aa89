#include "auth/api_key.h"

#include <openssl/crypto.h>

#include "base/file.h"

namespace kefu::auth {

Result<Principal> check_api_key(std::string_view credential, std::span<const ApiKey> keys,
                                std::chrono::system_clock::time_point now) {
  const std::string digest = sha256_hex(credential);
  const ApiKey* found = nullptr;
  for (const ApiKey& key : keys) {
    const bool equal = key.sha256.size() == digest.size() &&
                       CRYPTO_memcmp(key.sha256.data(), digest.data(), digest.size()) == 0;
    found = equal ? &key : found;
  }
  if (found == nullptr) return fail(Code::kUnauthenticated, "the key is not known");
  if (found->expires && now >= *found->expires) return fail(Code::kUnauthenticated, "the key has expired");
  return Principal{.id = found->id, .tenant = found->tenant, .scopes = found->scopes, .limit = found->limit};
}

}  // namespace kefu::auth
