#include "auth/signature_key.h"

#include <gmock/gmock.h>

#include "auth/base64url.h"
#include "auth/sample_tokens.h"

namespace kefu::auth {
namespace {

using testing::HasSubstr;

struct SignedSample {
  Algorithm algorithm;
  std::string key;
  std::string_view token;
};

std::string decoded(std::string_view text) {
  return decode_base64url(text).value_or("");
}

std::vector<SignedSample> signed_samples() {
  return {{Algorithm::kHs256, decoded(samples::kRfcSecret), samples::kRfcHs256},
          {Algorithm::kRs256, std::string(samples::kRfcRsaKey), samples::kRfcRs256},
          {Algorithm::kEs256, std::string(samples::kRfcEcKey), samples::kRfcEs256},
          {Algorithm::kHs256, std::string(samples::kSecret), samples::kHs256},
          {Algorithm::kRs256, std::string(samples::kRsaKey), samples::kRs256},
          {Algorithm::kEs256, std::string(samples::kEcKey), samples::kEs256}};
}

TEST(SignatureKey, VerifiesSamplesAndNothingNearThem) {
  for (const SignedSample& sample : signed_samples()) {
    const auto key = SignatureKey::read(sample.algorithm, sample.key);
    ASSERT_TRUE(key) << key.error().message;
    const std::size_t dot = sample.token.rfind('.');
    const std::string message(sample.token.substr(0, dot));
    const std::string signature = decoded(sample.token.substr(dot + 1));
    EXPECT_TRUE(key->verify(message, signature)) << sample.token;
    EXPECT_FALSE(key->verify(message + "x", signature));
    EXPECT_FALSE(key->verify("", signature));
    EXPECT_FALSE(key->verify(message, signature + '\0'));
    EXPECT_FALSE(key->verify(message, std::string(signature.size(), '\0')));
    EXPECT_FALSE(key->verify(message, std::string(signature.size(), '\xff')));
    for (std::size_t size = 0; size < signature.size(); ++size)
      EXPECT_FALSE(key->verify(message, signature.substr(0, size))) << size;
    for (std::size_t bit = 0; bit < 8 * signature.size(); ++bit) {
      std::string flipped = signature;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(key->verify(message, flipped)) << bit;
    }
  }
}

TEST(SignatureKey, Es256TakesNoDer) {
  const auto key = SignatureKey::read(Algorithm::kEs256, samples::kRfcEcKey);
  ASSERT_TRUE(key);
  const std::size_t dot = samples::kRfcEs256.rfind('.');
  const std::string raw = decoded(samples::kRfcEs256.substr(dot + 1));
  // r begins with 0x0e, s with 0xc5, which needs a leading zero.
  const std::string der = std::string("\x30\x45\x02\x20", 4) + raw.substr(0, 32) +
                          std::string("\x02\x21\x00", 3) + raw.substr(32);
  EXPECT_FALSE(key->verify(samples::kRfcEs256.substr(0, dot), der));
}

TEST(SignatureKey, RefusesKeysThatAreWeakOrOfAnotherKind) {
  const std::tuple<Algorithm, std::string_view, const char*> rows[] = {
      {Algorithm::kHs256, "0123456789abcdef0123456789abcde",
       "is a secret of 31 bytes; HS256 needs 32 or more"},
      {Algorithm::kHs256, samples::kRsaKey, "is PEM; HS256 needs the bytes of a secret"},
      {Algorithm::kRs256, samples::kRsa1024Key, "is an RSA key of 1024 bits; RS256 needs 2048 or more"},
      {Algorithm::kRs256, samples::kEcKey, "is no RSA key, which RS256 needs"},
      {Algorithm::kEs256, samples::kRsaKey, "is no EC key, which ES256 needs"},
      {Algorithm::kEs256, samples::kP384Key, "is on the curve secp384r1; ES256 needs P-256"},
      {Algorithm::kEs256, samples::kSecp256k1Key, "is on the curve secp256k1; ES256 needs P-256"},
      {Algorithm::kRs256, "", "holds no \"-----BEGIN PUBLIC KEY-----\""},
      {Algorithm::kEs256, samples::kSecret, "holds no \"-----BEGIN PUBLIC KEY-----\""},
      {Algorithm::kEs256, samples::kEcKey.substr(0, 90), "holds no \"-----BEGIN PUBLIC KEY-----\""},
  };
  for (const auto& [algorithm, content, complaint] : rows) {
    const auto key = SignatureKey::read(algorithm, content);
    ASSERT_FALSE(key) << complaint;
    EXPECT_EQ(key.error().code, Code::kInvalidArgument);
    EXPECT_THAT(key.error().message, HasSubstr(complaint));
  }
}

/// Every signature is right for a key with exponent 1.
TEST(SignatureKey, RefusesAnRsaKeyOfExponentOne) {
  std::string pem(samples::kRfcRsaKey);
  const std::size_t exponent = pem.find("oQIDAQAB");
  ASSERT_NE(exponent, std::string::npos);
  pem.replace(exponent, 8, "oQIDAAAB");  // 0x000001 for 0x010001
  const auto key = SignatureKey::read(Algorithm::kRs256, pem);
  ASSERT_FALSE(key);
}

}  // namespace
}  // namespace kefu::auth
