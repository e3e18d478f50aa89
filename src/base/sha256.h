#pragma once
// SHA-256 (FIPS 180-4), piece by piece.

#include <array>
#include <cstddef>
#include <memory>
#include <span>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace kefu {

/// Ends the process if there is no memory for it.
class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  Sha256();

  void update(std::span<const std::byte> bytes);

  /// The digest of all bytes so far. Once, as the last call.
  Digest finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace kefu
