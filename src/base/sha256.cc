#include "base/sha256.h"

#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

namespace kefu {
namespace {

/// Only missing memory makes SHA-256 fail. A digest made up then would be one that different contents share.
void require(bool done) {
  if (done) return;
  std::fputs("kefu: OpenSSL could not compute a SHA-256 digest; is there memory left?\n", stderr);
  std::abort();
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Sha256::Digest Sha256::finish() {
  Digest digest{};
  require(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1);
  return digest;
}

}  // namespace kefu
