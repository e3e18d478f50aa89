#include "auth/credentials_file.h"

#include <gmock/gmock.h>

#include "auth/authenticator.h"
#include "auth/sample_tokens.h"
#include "base/file.h"

namespace kefu::auth {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kDigestA(64, 'a');
const std::string kDigestB(64, 'B');

/// A folder with a credentials file and the key files that it may name.
fs::path credentials_file(const std::string& text) {
  const auto folder = fs::path(testing::TempDir()) / "kefu_credentials_test";
  fs::create_directories(folder / "keys");
  EXPECT_TRUE(write_file(folder / "keys" / "login.pem", samples::kRsaKey));
  EXPECT_TRUE(write_file(folder / "keys" / "ec.pem", samples::kEcKey));
  EXPECT_TRUE(write_file(folder / "keys" / "short.pem", samples::kRsa1024Key));
  EXPECT_TRUE(write_file(folder / "keys" / "secret", samples::kSecret));
  EXPECT_TRUE(write_file(folder / "credentials.yaml", text));
  return folder / "credentials.yaml";
}

TEST(CredentialsFile, ReadsKeysAndIssuers) {
  const auto credentials = read_credentials(
      credentials_file("keys:\n"
                       "  - id: shop-frontend\n"
                       "    sha256: \"" +
                       kDigestA +
                       "\"\n"
                       "    tenant: shop\n"
                       "    scopes: [infer, metrics]\n"
                       "    requests_per_second: 200.5\n"
                       "    burst: 400\n"
                       "    expires: 2027-01-31\n"
                       "  - {id: b, sha256: " +
                       kDigestB +
                       ", scopes: [admin], requests_per_second: 0.5}\n"
                       "jwt:\n"
                       "  issuers:\n"
                       "    - issuer: \"https://login.example.com\"\n"
                       "      audience: kefu\n"
                       "      algorithm: RS256\n"
                       "      key_file: keys/login.pem\n"
                       "      key_id: \"2026-10\"\n"
                       "      tenant_claim: org\n"
                       "      scopes_claim: roles\n"
                       "      requests_per_second: 3\n"
                       "      leeway_s: 0\n"
                       "    - {issuer: other, audience: a, algorithm: HS256, key_file: keys/secret}\n"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  ASSERT_EQ(credentials->keys.size(), 2U);
  const ApiKey& shop = credentials->keys[0];
  EXPECT_EQ(shop.id, "shop-frontend");
  EXPECT_EQ(shop.sha256, kDigestA);
  EXPECT_EQ(shop.tenant, "shop");
  EXPECT_TRUE(shop.scopes.contains(Scope::kInfer) && shop.scopes.contains(Scope::kMetrics));
  EXPECT_FALSE(shop.scopes.contains(Scope::kAdmin));
  EXPECT_EQ(shop.limit.value_or(RateLimit{}).per_second, 200.5);
  EXPECT_EQ(shop.limit.value_or(RateLimit{}).burst, 400);
  EXPECT_EQ(shop.expires, std::chrono::sys_days(std::chrono::year(2027) / 1 / 31));
  const ApiKey& other = credentials->keys[1];
  EXPECT_EQ(other.sha256, std::string(64, 'b'));
  EXPECT_EQ(other.tenant, "");
  EXPECT_FALSE(other.expires);
  EXPECT_EQ(other.limit.value_or(RateLimit{.burst = 0}).burst, 1);
  ASSERT_EQ(credentials->issuers.size(), 2U);
  const JwtIssuer& login = credentials->issuers[0];
  EXPECT_EQ(login.issuer, "https://login.example.com");
  EXPECT_EQ(login.audience, "kefu");
  EXPECT_EQ(login.key.algorithm(), Algorithm::kRs256);
  EXPECT_EQ(login.key_id, "2026-10");
  EXPECT_EQ(login.tenant_claim, "org");
  EXPECT_EQ(login.scopes_claim, "roles");
  EXPECT_EQ(login.leeway, std::chrono::seconds(0));
  EXPECT_EQ(login.limit.value_or(RateLimit{}).burst, 3);
  EXPECT_EQ(credentials->issuers[1].tenant_claim, "tenant");
  EXPECT_EQ(credentials->issuers[1].scopes_claim, "scope");
  EXPECT_EQ(credentials->issuers[1].leeway, std::chrono::seconds(30));
}

TEST(CredentialsFile, AnAuthenticatorIsLoadedFromIt) {
  const auto authenticator =
      Authenticator::load(credentials_file("jwt:\n"
                                           "  issuers:\n"
                                           "    - {issuer: \"https://login.example.com\", audience: kefu, "
                                           "algorithm: ES256, key_file: keys/ec.pem}\n"));
  ASSERT_TRUE(authenticator) << authenticator.error().message;
  const std::chrono::system_clock::time_point now(std::chrono::seconds(1'750'000'000));
  EXPECT_TRUE((*authenticator)->authenticate(samples::kEs256, now));
  EXPECT_FALSE((*authenticator)->authenticate(samples::kRs256, now));
}

/// What is said of a file of one key with the lines given.
std::string complaint_of_key(const std::string& lines) {
  const auto credentials = read_credentials(credentials_file("keys:\n  - id: a\n" + lines));
  return credentials ? "" : credentials.error().message;
}

TEST(CredentialsFile, NamesFileLineAndRemedyOfAKey) {
  const std::string digest = "    sha256: " + kDigestA + "\n";
  const std::string good = digest + "    scopes: [infer]\n";
  const std::pair<std::string, const char*> rows[] = {
      {good, ""},
      {"", "credentials.yaml:2: a key needs \"sha256\""},
      {digest, "credentials.yaml:2: a key needs scopes: infer, admin, metrics"},
      {digest + "    scopes: []\n", ":4: a key needs scopes"},
      {digest + "    scopes: infer\n", ":4: scopes must be a list"},
      {digest + "    scopes: [infer, amdin]\n", ":4: there is no scope \"amdin\"; did you mean admin?"},
      {digest + "    scopes: [[infer]]\n", ":4: there is no scope \"\""},
      {digest + "    scope: [infer]\n", ":4: a key has no member \"scope\"; did you mean scopes?"},
      {digest + "    [x]: 1\n", ":4: a key has no member \"\""},
      {good + "    id: b\n", ":5: a key has \"id\" twice"},
      {good + "    tenant: a b\n", ":5: tenant is \"a b\", expected 1 to 64 of"},
      {good + "    tenant:\n", ":5: tenant must be one value"},
      {good + "    tenant: \"\"\n", ":5: tenant must be one value"},
      {good + "    burst: 5\n", ":5: burst needs requests_per_second"},
      {good + "    requests_per_second: 0\n",
       ":5: requests_per_second is \"0\", expected a number from 0.001 to 1000000"},
      {good + "    requests_per_second: .nan\n", ":5: requests_per_second is \".nan\""},
      {good + "    requests_per_second: nan\n", ":5: requests_per_second is \"nan\""},
      {good + "    requests_per_second: 5x\n", ":5: requests_per_second is \"5x\""},
      {good + "    requests_per_second: 5\n    burst: 1.5\n",
       ":6: burst is \"1.5\", expected a whole number from 1 to 1000000"},
      {good + "    expires: 2027-02-29\n", ":5: expires is \"2027-02-29\", expected a date such as"},
      {good + "    expires: 31.1.2027\n", ":5: expires is \"31.1.2027\""},
      {good + "    expires: 2027-1--1\n", ":5: expires is \"2027-1--1\""},
      {good + "    expires: +027-01-01\n", ":5: expires is \"+027-01-01\""},
      {good + "  - id: a\n    sha256: " + kDigestB + "\n    scopes: [infer]\n",
       ":5: a key before this one has the id a too"},
      {good + "  - id: b\n    sha256: " + std::string(64, 'A') + "\n    scopes: [infer]\n",
       ":6: b has the sha256 of a; give each a key of its own"},
      {good + "  - id: a b\n" + good, ":5: id is \"a b\", expected 1 to 64 of"},
      {good + "  - b\n", ":5: a key must be \"member: value\" lines"},
      {good + "---\nkeys: []\n", "a second document"},
      {good + "  x: : y\n", ".yaml:"},
  };
  for (const auto& [lines, complaint] : rows)
    EXPECT_THAT(complaint_of_key(lines), HasSubstr(complaint)) << lines;
  EXPECT_EQ(complaint_of_key(good), "");
}

TEST(CredentialsFile, NeverEchoesWhatMayBeAKey) {
  for (const std::string& key : {std::string("the-key-itself"), std::string(64, 'g'), std::string(63, 'a')}) {
    const std::string complaint = complaint_of_key("    sha256: " + key + "\n    scopes: [infer]\n");
    EXPECT_THAT(complaint, HasSubstr(":3: sha256 must be the 64 hexadecimal digits"));
    EXPECT_EQ(complaint.find(key), std::string::npos);
  }
}

TEST(CredentialsFile, NamesFileLineAndRemedyOfAnIssuer) {
  const std::string good = "audience: kefu, algorithm: RS256, key_file: keys/login.pem";
  const std::pair<std::string, const char*> rows[] = {
      {"issuer: a, " + good, ""},
      {good, "credentials.yaml:3: an issuer needs \"issuer\""},
      {"issuer: \"a#b\", " + good, ":3: issuer must be at most 255 printable"},
      {"issuer: a, algorithm: RS256, key_file: keys/login.pem", ":3: an issuer needs \"audience\""},
      {"issuer: a, audience: kefu, key_file: keys/login.pem", ":3: an issuer needs \"algorithm\""},
      {"issuer: a, audience: kefu, algorithm: RS256", ":3: an issuer needs \"key_file\""},
      {"issuer: a, audience: kefu, algorithm: none, key_file: keys/secret",
       ":3: algorithm is \"none\", expected one of HS256, RS256, ES256"},
      {"issuer: a, audience: kefu, algorithm: [RS256, HS256], key_file: keys/secret",
       ":3: algorithm must be one value"},
      {"issuer: a, audience: kefu, algorithm: RS256, key_file: keys/short.pem",
       "short.pem is an RSA key of 1024 bits; RS256 needs 2048 or more"},
      {"issuer: a, audience: kefu, algorithm: HS256, key_file: keys/login.pem",
       "login.pem is PEM; HS256 needs the bytes of a secret"},
      {"issuer: a, audience: kefu, algorithm: ES256, key_file: keys/login.pem", "is no EC key"},
      {"issuer: a, audience: kefu, algorithm: ES256, key_file: keys/absent.pem",
       "absent.pem: No such file or directory"},
      {"issuer: a, " + good + ", leeway_s: -1",
       ":3: leeway_s is \"-1\", expected a whole number from 0 to 3600"},
      {"issuer: a, " + good + ", keyid: x", ":3: an issuer has no member \"keyid\"; did you mean key_id?"},
      {"issuer: a, " + good + "}\n    - {issuer: a, key_id: x, " + good,
       ":4: a comes twice; give each of its keys a key_id of its own"},
      {"issuer: a, key_id: x, " + good + "}\n    - {issuer: a, key_id: x, " + good, ":4: a comes twice"},
      {"issuer: a, key_id: x, " + good + "}\n    - {issuer: a, key_id: y, " + good, ""},
  };
  for (const auto& [members, complaint] : rows) {
    const auto credentials =
        read_credentials(credentials_file("jwt:\n  issuers:\n    - {" + members + "}\n"));
    EXPECT_EQ(credentials.has_value(), std::string_view(complaint).empty()) << members;
    if (!credentials) {
      EXPECT_THAT(credentials.error().message, HasSubstr(complaint)) << members;
      EXPECT_THAT(credentials.error().message, HasSubstr("credentials.yaml:"));
    }
  }
}

TEST(CredentialsFile, MustHoldSomething) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "credentials.yaml:1: the file must be \"member: value\" lines"},
      {"keys: []\n", "no keys and no issuers"},
      {"jwt: {}\n", "no keys and no issuers"},
      {"jwt: 1\n", ":1: jwt must be \"member: value\" lines"},
      {"key: []\n", ":1: the file has no member \"key\"; did you mean keys?"},
      {"- 1\n", ":1: the file must be"},
      {"keys: &a [*a]\n", ":1: "},
      {"keys: " + std::string(100'000, '['), "credentials.yaml:"},
  };
  for (const auto& [text, complaint] : rows) {
    const auto credentials = read_credentials(credentials_file(text));
    ASSERT_FALSE(credentials) << complaint;
    EXPECT_EQ(credentials.error().code, Code::kInvalidArgument);
    EXPECT_THAT(credentials.error().message, HasSubstr(complaint));
  }
  const auto absent = read_credentials("absent.yaml");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace kefu::auth
