#include "auth/signature_key.h"

#include <array>

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

namespace kefu::auth {
namespace {

/// RFC 7518 §3.2: a key of the size of the hash output or larger.
constexpr std::size_t kMinSecretBytes = 32;
/// RFC 7518 §3.3.
constexpr int kMinRsaBits = 2048;
/// RFC 7518 §3.4: R and S of 32 bytes each.
constexpr std::size_t kEs256IntegerBytes = 32;

template <auto free>
struct FreeBy {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using Bio = std::unique_ptr<BIO, FreeBy<BIO_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreeBy<EVP_PKEY_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, FreeBy<BN_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, FreeBy<ECDSA_SIG_free>>;

/// Leaves the thread's queue of OpenSSL errors as it was, for those who look into it next.
class ErrorsForgotten {
 public:
  ErrorsForgotten() { ERR_set_mark(); }
  ErrorsForgotten(const ErrorsForgotten&) = delete;
  ErrorsForgotten& operator=(const ErrorsForgotten&) = delete;
  ~ErrorsForgotten() { ERR_pop_to_mark(); }
};

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Result<void> check_rsa(const EVP_PKEY& key) {
  if (EVP_PKEY_get_base_id(&key) != EVP_PKEY_RSA)
    return fail(Code::kInvalidArgument, "is no RSA key, which RS256 needs");
  const int bits = EVP_PKEY_get_bits(&key);
  if (bits < kMinRsaBits) {
    return fail(Code::kInvalidArgument, "is an RSA key of {} bits; RS256 needs {} or more", bits,
                kMinRsaBits);
  }
  return {};
}

Result<void> check_ec(const EVP_PKEY& key) {
  if (EVP_PKEY_get_base_id(&key) != EVP_PKEY_EC)
    return fail(Code::kInvalidArgument, "is no EC key, which ES256 needs");
  std::array<char, 64> curve{};
  const bool named = EVP_PKEY_get_group_name(&key, curve.data(), curve.size(), nullptr) == 1;
  if (!named || std::string_view(curve.data()) != SN_X9_62_prime256v1) {
    return fail(Code::kInvalidArgument, "is on the curve {}; ES256 needs P-256 (prime256v1)",
                named ? curve.data() : "of its own parameters");
  }
  return {};
}

/// R and S, one after another, as the DER that OpenSSL reads; empty if they are not of 64 bytes.
std::string der_of(std::string_view raw) {
  if (raw.size() != 2 * kEs256IntegerBytes) return {};
  const EcdsaSignature signature(ECDSA_SIG_new());
  BigNumber r(BN_bin2bn(octets(raw), kEs256IntegerBytes, nullptr));
  BigNumber s(BN_bin2bn(octets(raw) + kEs256IntegerBytes, kEs256IntegerBytes, nullptr));
  if (!signature || !r || !s) return {};
  ECDSA_SIG_set0(signature.get(), r.release(), s.release());  // owns them; refuses null only
  std::array<unsigned char, 80> der{};  // at most 72: three heads of 2 bytes, two integers of 33
  unsigned char* end = der.data();
  const int size = i2d_ECDSA_SIG(signature.get(), &end);
  return size > 0 ? std::string(reinterpret_cast<const char*>(der.data()), static_cast<std::size_t>(size))
                  : std::string();
}

}  // namespace

void SignatureKey::Free::operator()(EVP_PKEY* key) const {
  EVP_PKEY_free(key);
}

std::optional<Algorithm> find_algorithm(std::string_view name) {
  if (name == "HS256") return Algorithm::kHs256;
  if (name == "RS256") return Algorithm::kRs256;
  if (name == "ES256") return Algorithm::kEs256;
  return std::nullopt;
}

Result<SignatureKey> SignatureKey::read(Algorithm algorithm, std::string_view content) {
  SignatureKey key(algorithm);
  if (algorithm != Algorithm::kHs256) {
    KEFU_ASSIGN(key.public_key_, read_public_key(algorithm, content));
    return key;
  }
  if (content.size() < kMinSecretBytes) {
    return fail(Code::kInvalidArgument, "is a secret of {} bytes; HS256 needs {} or more", content.size(),
                kMinSecretBytes);
  }
  if (content.find("-----BEGIN ") != std::string_view::npos)
    return fail(Code::kInvalidArgument, "is PEM; HS256 needs the bytes of a secret that nobody else knows");
  key.secret_ = content;
  return key;
}

Result<SignatureKey::PublicKey> SignatureKey::read_public_key(Algorithm algorithm, std::string_view pem) {
  const ErrorsForgotten forgotten;
  const Bio source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  PublicKey key(PEM_read_bio_PUBKEY(source.get(), nullptr, nullptr, nullptr));
  if (!key) return fail(Code::kInvalidArgument, "holds no \"-----BEGIN PUBLIC KEY-----\" that can be read");
  KEFU_CHECK(algorithm == Algorithm::kRs256 ? check_rsa(*key) : check_ec(*key));
  const KeyContext context(EVP_PKEY_CTX_new(key.get(), nullptr));
  if (EVP_PKEY_public_check(context.get()) != 1)
    return fail(Code::kInvalidArgument, "is a public key whose numbers no key pair has");
  return key;
}

bool SignatureKey::verify(std::string_view message, std::string_view signature) const {
  const ErrorsForgotten forgotten;
  switch (algorithm_) {
    case Algorithm::kHs256:
      return verify_hmac(message, signature);
    case Algorithm::kRs256:
      return verify_digest(message, signature);
    case Algorithm::kEs256:
      return verify_digest(message, der_of(signature));
  }
  return false;
}

bool SignatureKey::verify_hmac(std::string_view message, std::string_view signature) const {
  std::array<unsigned char, 32> code{};
  unsigned size = 0;
  const auto* done = HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), octets(message),
                          message.size(), code.data(), &size);
  return done != nullptr && size == code.size() && signature.size() == code.size() &&
         CRYPTO_memcmp(code.data(), signature.data(), code.size()) == 0;
}

bool SignatureKey::verify_digest(std::string_view message, std::string_view signature) const {
  const DigestContext context(EVP_MD_CTX_new());
  return context &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, public_key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message),
                          message.size()) == 1;
}

}  // namespace kefu::auth
