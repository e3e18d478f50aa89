#include "auth/jwt.h"

#include <map>

#include <gtest/gtest.h>

#include "auth/authenticator.h"
#include "auth/sample_tokens.h"

namespace kefu::auth {
namespace {

using std::chrono::system_clock;

constexpr const char* kHs256Header = R"({"alg":"HS256","typ":"JWT"})";
constexpr const char* kWrongAlgorithm =
    "the token's algorithm (alg) is not the one that its issuer's key is for";

system_clock::time_point at_second(std::int64_t second) {
  return system_clock::time_point(std::chrono::seconds(second));
}

JwtIssuer login(Algorithm algorithm, std::string_view key) {
  auto read = SignatureKey::read(algorithm, key);
  EXPECT_TRUE(read);
  return JwtIssuer{.key = *std::move(read), .issuer = "https://login.example.com", .audience = "kefu"};
}

Authenticator authenticator_of(JwtIssuer issuer) {
  Credentials credentials;
  credentials.issuers.push_back(std::move(issuer));
  return Authenticator(std::move(credentials));
}

/// What is said of a token with the HS256 key at 1'750'000'000 s: its principal or the complaint.
std::string outcome(std::string_view token) {
  const auto authenticator = authenticator_of(login(Algorithm::kHs256, samples::kSecret));
  const auto principal = authenticator.authenticate(token, at_second(1'750'000'000));
  if (!principal) {
    EXPECT_EQ(principal.error().code, Code::kUnauthenticated);
    return principal.error().message;
  }
  return fmt::format("{} of '{}':{}{}{}", principal->id, principal->tenant,
                     principal->scopes.contains(Scope::kInfer) ? " infer" : "",
                     principal->scopes.contains(Scope::kAdmin) ? " admin" : "",
                     principal->scopes.contains(Scope::kMetrics) ? " metrics" : "");
}

/// A payload that is right but for one member, which is added, replaced or, with no value, left out.
std::string payload_with(std::string_view name, std::string_view value) {
  std::map<std::string, std::string, std::less<>> members{{"iss", R"("https://login.example.com")"},
                                                          {"aud", R"("kefu")"},
                                                          {"sub", R"("alice")"},
                                                          {"exp", "1750000100"}};
  members.insert_or_assign(std::string(name), std::string(value));
  std::string payload;
  for (const auto& [member, text] : members) {
    if (!text.empty()) payload += fmt::format("{}\"{}\":{}", payload.empty() ? "{" : ",", member, text);
  }
  return payload + "}";
}

constexpr std::tuple<Algorithm, std::string_view, std::string_view> kGolden[] = {
    {Algorithm::kHs256, samples::kSecret, samples::kHs256},
    {Algorithm::kRs256, samples::kRsaKey, samples::kRs256},
    {Algorithm::kEs256, samples::kEcKey, samples::kEs256},
};

TEST(Jwt, GoldenTokensOfEachAlgorithm) {
  for (const auto& [algorithm, key, token] : kGolden) {
    const bool admin = algorithm == Algorithm::kEs256;
    const auto authenticator = authenticator_of(login(algorithm, key));
    const auto principal = authenticator.authenticate(token, at_second(1'750'000'000));
    ASSERT_TRUE(principal) << principal.error().message;
    EXPECT_EQ(principal->id, "https://login.example.com#alice");
    EXPECT_EQ(principal->tenant, "shop");
    EXPECT_TRUE(principal->scopes.contains(Scope::kInfer));
    EXPECT_EQ(principal->scopes.contains(Scope::kAdmin), admin);
    EXPECT_EQ(principal->scopes.contains(Scope::kMetrics), !admin);
    EXPECT_FALSE(principal->limit);
  }
}

TEST(Jwt, AFlippedBitOrAMissingEndNeverVerifies) {
  for (const auto& [algorithm, key, token] : kGolden) {
    const auto authenticator = authenticator_of(login(algorithm, key));
    for (std::size_t bit = 0; bit < 8 * token.size(); ++bit) {
      std::string flipped(token);
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(authenticator.authenticate(flipped, at_second(1'750'000'000))) << bit;
    }
    for (std::size_t size = 0; size < token.size(); ++size)
      EXPECT_FALSE(authenticator.authenticate(token.substr(0, size), at_second(1'750'000'000))) << size;
    for (const char more : {'A', '=', '.', ' ', '\n', '\0'})
      EXPECT_FALSE(authenticator.authenticate(std::string(token) + more, at_second(1'750'000'000)));
  }
}

TEST(Jwt, ThePublicKeyIsNoSecret) {
  const auto authenticator = authenticator_of(login(Algorithm::kRs256, samples::kRsaKey));
  const std::string payload = payload_with("exp", "1750000100");
  for (const char* header : {kHs256Header, R"({"alg":"RS256"})", R"({"alg":"none"})"}) {
    const std::string token = samples::hs256_token(header, payload, samples::kRsaKey);
    EXPECT_FALSE(authenticator.authenticate(token, at_second(1'750'000'000))) << header;
  }
}

TEST(Jwt, Headers) {
  const std::pair<const char*, const char*> rows[] = {
      {kHs256Header, "https://login.example.com#alice of '':"},
      {R"({"alg":"HS256"})", "https://login.example.com#alice of '':"},
      {R"({"alg":"HS256","typ":"jwt","kid":"x","cty":"y"})", "https://login.example.com#alice of '':"},
      {R"({"alg":"HS256","typ":"application/at+JWT"})", "https://login.example.com#alice of '':"},
      {R"({"alg":"HS256","typ":"JWE"})", "the token's type (typ) is neither JWT nor at+jwt"},
      {R"({"alg":"HS256","typ":1})", "the token's \"typ\" is not a string"},
      {R"({"alg":"HS256","kid":null})", "the token's \"kid\" is not a string"},
      {R"({"alg":"HS256","crit":["exp"],"exp":1})",
       "the token has critical extensions (crit); none is understood"},
      {R"({"alg":"HS256","crit":[]})", "the token has critical extensions (crit); none is understood"},
      {R"({"typ":"JWT"})", "the token has no \"alg\""},
      {R"({"alg":256})", "the token's \"alg\" is not a string"},
      {R"({"alg":["HS256"]})", "the token's \"alg\" is not a string"},
      {R"({"alg":"none"})", kWrongAlgorithm},
      {R"({"alg":"None"})", kWrongAlgorithm},
      {R"({"alg":""})", kWrongAlgorithm},
      {R"({"alg":"hs256"})", kWrongAlgorithm},
      {R"({"alg":"HS512"})", kWrongAlgorithm},
      {R"({"alg":"RS256"})", kWrongAlgorithm},
      {R"({"alg":"none","alg":"HS256"})", "the token's header names a member twice"},
      {R"({"alg":"HS256","\u0061lg":"HS256"})", "the token's header names a member twice"},
      {R"({"alg":"HS256")", "the token's header is not valid JSON"},
      {R"({"alg":"HS256"}{})", "the token's header is not valid JSON"},
      {"{\"alg\":\"\xff\"}", "the token's header is not valid JSON"},
  };
  for (const auto& [header, said] : rows)
    EXPECT_EQ(outcome(samples::hs256_token(header, payload_with("exp", "1750000100"))), said) << header;
  const std::string deep = R"({"alg":)" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_EQ(outcome(samples::hs256_token(deep, "{}")), "the token's header is not valid JSON");
}

TEST(Jwt, Claims) {
  constexpr const char* kAlice = "https://login.example.com#alice of '':";
  constexpr const char* kSubject =
      "the token's subject (sub) is empty, longer than 255 bytes, or has characters other than printable "
      "ASCII "
      "without '\"' and '\\'";
  const std::tuple<const char*, const char*, std::string> rows[] = {
      {"iss", "", "the token has no \"iss\""},
      {"iss", "7", "the token's \"iss\" is not a string"},
      {"iss", R"("https://login.example.co")", "the token's issuer (iss) is not known"},
      {"iss", R"("https://login.example.com/")", "the token's issuer (iss) is not known"},
      {"iss", R"("HTTPS://login.example.com")", "the token's issuer (iss) is not known"},
      {"aud", "", "the token is for another audience (aud)"},
      {"aud", R"("kef")", "the token is for another audience (aud)"},
      {"aud", R"([])", "the token is for another audience (aud)"},
      {"aud", R"(["a",1,null,["kefu"]])", "the token is for another audience (aud)"},
      {"aud", R"({"kefu":"kefu"})", "the token is for another audience (aud)"},
      {"aud", R"(["a","kefu"])", kAlice},
      {"sub", "", "the token has no \"sub\""},
      {"sub", "1", "the token's \"sub\" is not a string"},
      {"sub", R"("")", kSubject},
      {"sub", R"("a\nb")", kSubject},
      {"sub", R"("a\"b")", kSubject},
      {"sub", R"("a\u0000b")", kSubject},
      {"sub", R"("客")", kSubject},
      {"sub", R"("auth0|5f7c8ec7 @x#y")", "https://login.example.com#auth0|5f7c8ec7 @x#y of '':"},
      {"exp", "", "the token has no \"exp\""},
      {"exp", R"("1750000100")", "the token's \"exp\" is not a number"},
      {"exp", "null", "the token's \"exp\" is not a number"},
      {"exp", "1e999", "the token's payload is not valid JSON"},
      {"exp", "0", "the token has expired"},
      {"exp", "-1", "the token has expired"},
      {"exp", "18446744073709551615", kAlice},
      {"exp", "1.7500001e9", kAlice},
      {"nbf", R"("x")", "the token's \"nbf\" is not a number"},
      {"nbf", "1e300", "the token is not valid yet (nbf)"},
      {"nbf", "1750000000.5", kAlice},
      {"iat", "\"never\"", kAlice},
      {"tenant", R"("shop-1")", "https://login.example.com#alice of 'shop-1':"},
      {"tenant", R"("")", "the token's \"tenant\" is not 1 to 64 of A-Z a-z 0-9 . _ -"},
      {"tenant", R"("a b")", "the token's \"tenant\" is not 1 to 64 of A-Z a-z 0-9 . _ -"},
      {"tenant", R"(["a"])", "the token's \"tenant\" is not a string"},
      {"scope", R"("infer  admin ")", "https://login.example.com#alice of '': infer admin"},
      {"scope", R"(" openid INFER xinfer infer,admin")", kAlice},
      {"scope", R"("")", kAlice},
      {"scope", R"([])", kAlice},
      {"scope", R"(["metrics","x","infer admin"])", "https://login.example.com#alice of '': metrics"},
      {"scope", R"(["infer",1])", "the token's \"scope\" holds something that is not a string"},
      {"scope", R"({"infer":true})", "the token's \"scope\" is not a string"},
      {"x\":1,\"x", "1", "the token's payload names a member twice"},
      {"\\u0065xp", "1750000100", "the token's payload names a member twice"},
  };
  for (const auto& [name, value, said] : rows)
    EXPECT_EQ(outcome(samples::hs256_token(kHs256Header, payload_with(name, value))), said) << name << value;
  EXPECT_EQ(
      outcome(samples::hs256_token(kHs256Header, payload_with("sub", '"' + std::string(256, 'a') + '"'))),
      kSubject);
}

TEST(Jwt, NothingOfATokenIsSaidBeforeItsSignatureIsRight) {
  for (const char* name : {"exp", "aud", "sub"}) {
    EXPECT_EQ(outcome(samples::hs256_token(kHs256Header, payload_with(name, ""), "guess")),
              "the token's signature is wrong");
  }
}

TEST(Jwt, Forms) {
  const std::pair<std::string, const char*> rows[] = {
      {"eyJ..", "the token's header is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9.e30.AB", "the token's signature is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9=.e30.AA", "the token's header is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9.e30=.AA", "the token's payload is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9.e30.AA==", "the token's signature is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9.e30 .AA", "the token's payload is not valid Base64url"},
      {"eyJhbGciOiJIUzI1NiJ9.e30.AA", "the token has no \"iss\""},
      {"eyJhbGciOiJIUzI1NiJ9.W10.AA", "the token's payload is no JSON object"},
      {"eyJhbGciOiJIUzI1NiJ9..AA", "the token's payload is not valid JSON"},
      {"eyJhbGciOiJIUzI1NiJ9.e30", "the key is not known"},      // one dot: no JWT
      {"eyJhbGciOiJIUzI1NiJ9.a.b.c.d", "the key is not known"},  // a JWE
      {"eyJ" + std::string(8190, 'a'), "the credential has 8193 bytes; at most 8192 are read"},
      {"eyJ" + std::string(8189, 'a'), "the key is not known"},
      {"", "the credential is empty"},
  };
  for (const auto& [token, said] : rows) EXPECT_EQ(outcome(token), said) << token;
  // Unsigned, as RFC 7519 §6.1 writes it.
  const std::string payload = samples::encode_base64url(payload_with("exp", "1750000100"));
  EXPECT_EQ(outcome(samples::encode_base64url(R"({"alg":"HS256"})") + '.' + payload + '.'),
            "the token's signature is wrong");
  EXPECT_EQ(outcome(samples::encode_base64url(R"({"alg":"none"})") + '.' + payload + '.'), kWrongAlgorithm);
}

TEST(Jwt, ValidityHasAnEdgeAtEachEnd) {
  const std::string token = samples::hs256_token(
      kHs256Header,
      R"({"iss":"https://login.example.com","aud":"kefu","sub":"a","nbf":1000000,"exp":2000000})");
  const std::tuple<int, system_clock::time_point, const char*> rows[] = {
      {30, at_second(999'970), ""},
      {30, at_second(999'970) - std::chrono::milliseconds(1), "the token is not valid yet (nbf)"},
      {30, at_second(2'000'030) - std::chrono::milliseconds(1), ""},
      {30, at_second(2'000'030), "the token has expired"},
      {0, at_second(1'000'000), ""},
      {0, at_second(999'999), "the token is not valid yet (nbf)"},
      {0, at_second(1'999'999), ""},
      {0, at_second(2'000'000), "the token has expired"},
      {0, at_second(0), "the token is not valid yet (nbf)"},
      {0, at_second(-5), "the token is not valid yet (nbf)"},
  };
  for (const auto& [leeway, now, complaint] : rows) {
    JwtIssuer issuer = login(Algorithm::kHs256, samples::kSecret);
    issuer.leeway = std::chrono::seconds(leeway);
    const auto principal = authenticator_of(std::move(issuer)).authenticate(token, now);
    EXPECT_EQ(principal ? "" : principal.error().message, complaint) << leeway;
  }
}

TEST(Jwt, AnIssuersKeysAreToldByKeyId) {
  Credentials credentials;
  credentials.issuers.push_back(login(Algorithm::kHs256, samples::kSecret));
  credentials.issuers.back().key_id = "old";
  credentials.issuers.push_back(login(Algorithm::kRs256, samples::kRsaKey));
  credentials.issuers.back().key_id = "2026-10";
  credentials.issuers.back().limit = RateLimit{.per_second = 5, .burst = 6};
  const Authenticator authenticator(std::move(credentials));
  const auto now = at_second(1'750'000'000);
  const auto golden = authenticator.authenticate(samples::kRs256, now);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(golden->limit.value_or(RateLimit{}).burst, 6);
  const std::string payload = payload_with("exp", "1750000100");
  EXPECT_TRUE(
      authenticator.authenticate(samples::hs256_token(R"({"alg":"HS256","kid":"old"})", payload), now));
  const std::pair<const char*, const char*> rows[] = {
      {R"({"alg":"HS256"})", "the token's key (kid) is not known"},
      {R"({"alg":"HS256","kid":""})", "the token's key (kid) is not known"},
      {R"({"alg":"HS256","kid":"2026-10"})", kWrongAlgorithm},
  };
  for (const auto& [header, complaint] : rows) {
    const auto principal = authenticator.authenticate(samples::hs256_token(header, payload), now);
    ASSERT_FALSE(principal) << header;
    EXPECT_EQ(principal.error().message, complaint);
  }
}

TEST(Jwt, ClaimsMayHaveOtherNames) {
  JwtIssuer issuer = login(Algorithm::kHs256, samples::kSecret);
  issuer.tenant_claim = "https://example.com/org";
  issuer.scopes_claim = "roles";
  const std::string token = samples::hs256_token(
      kHs256Header,
      payload_with("tenant", R"("no","scope":"admin","https://example.com/org":"yes","roles":["infer"])"));
  const auto principal = authenticator_of(std::move(issuer)).authenticate(token, at_second(1'750'000'000));
  ASSERT_TRUE(principal) << principal.error().message;
  EXPECT_EQ(principal->tenant, "yes");
  EXPECT_TRUE(principal->scopes.contains(Scope::kInfer));
  EXPECT_FALSE(principal->scopes.contains(Scope::kAdmin));
}

}  // namespace
}  // namespace kefu::auth
