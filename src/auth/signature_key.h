#pragma once
// A key that verifies signatures of JWS with the one algorithm it is for (RFC 7518 §3).

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <openssl/types.h>

#include "base/result.h"

namespace kefu::auth {

enum class Algorithm {
  kHs256,  // HMAC with SHA-256
  kRs256,  // RSASSA-PKCS1-v1_5 with SHA-256
  kEs256,  // ECDSA with P-256 and SHA-256
};

/// "HS256"; none for a name of no algorithm above.
std::optional<Algorithm> find_algorithm(std::string_view name);

/// Immutable; safe to use from any thread.
class SignatureKey {
 public:
  /// From a file's content: the secret's bytes for HS256 (32 or more, not PEM), else a public key in PEM: RSA
  /// of 2048 bits or more, or EC on P-256. kInvalidArgument with what is wrong, to be put behind the file's
  /// name.
  static Result<SignatureKey> read(Algorithm algorithm, std::string_view content);

  Algorithm algorithm() const { return algorithm_; }

  /// True if `signature` (raw bytes) is that of `message`. Takes as long for a wrong HMAC as for a right one.
  bool verify(std::string_view message, std::string_view signature) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const;
  };
  using PublicKey = std::unique_ptr<EVP_PKEY, Free>;

  explicit SignatureKey(Algorithm algorithm) : algorithm_(algorithm) {}
  static Result<PublicKey> read_public_key(Algorithm algorithm, std::string_view pem);
  bool verify_hmac(std::string_view message, std::string_view signature) const;
  bool verify_digest(std::string_view message, std::string_view signature) const;

  Algorithm algorithm_;
  std::string secret_;    // of HS256
  PublicKey public_key_;  // of the others
};

}  // namespace kefu::auth
