#include "auth/bearer.h"

#include <gtest/gtest.h>

namespace kefu::auth {
namespace {

TEST(CredentialOf, HeaderThenQuery) {
  using Found = std::optional<std::string_view>;
  const std::tuple<const char*, const char*, Found> rows[] = {
      {"", "", std::nullopt},
      {"", "abc", "abc"},
      {"", "a b", "a b"},  // what a query may hold is authenticate()'s concern
      {"Bearer abc", "", "abc"},
      {"Bearer abc", "other", "abc"},
      {"bearer abc", "", "abc"},
      {"BEARER  abc", "", "abc"},
      {"Bearer aZ09-._~+/==", "", "aZ09-._~+/=="},
  };
  for (const auto& [header, query, found] : rows) {
    const auto credential = credential_of(header, query);
    ASSERT_TRUE(credential) << header;
    EXPECT_EQ(*credential, found) << header;
  }
}

TEST(CredentialOf, RefusesOtherFieldsWhateverTheQuerySays) {
  for (const char* header :
       {"Basic YTpi", "secret", "Bearer", "Bearer ", "Bearer  ", "Bearerabc", "Bearers abc", " Bearer abc",
        "Bearer\tabc", "Bearer a b", "Bearer abc ", "Bearer a,b", "Bearer a=b", "Bearer =", "Bearer \"abc\"",
        "Bearer a\xc3\xa9", "Token abc", ":", " "}) {
    const auto credential = credential_of(header, "good");
    ASSERT_FALSE(credential) << header;
    EXPECT_EQ(credential.error().code, Code::kUnauthenticated);
    EXPECT_EQ(credential.error().message.find("abc"), std::string::npos);
    EXPECT_EQ(credential.error().message.find("secret"), std::string::npos);
  }
}

TEST(Redact, HidesTheValueOfToken) {
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},
      {"/", "/"},
      {"?", "?"},
      {"/webhook", "/webhook"},
      {"/webhook?", "/webhook?"},
      {"/token=secret", "/token=secret"},  // a path
      {"/?token=secret", "/?token=***"},
      {"/?token=secret&a=1", "/?token=***&a=1"},
      {"/?a=1&token=secret", "/?a=1&token=***"},
      {"/?token=secret&token=secret", "/?token=***&token=***"},
      {"/?token=", "/?token=***"},
      {"/?token", "/?token"},
      {"/?token&a", "/?token&a"},
      {"/?token==secret=", "/?token=***"},
      {"/?token=a?token=secret", "/?token=***"},
      {"/?token=sec%26ret;x#y", "/?token=***"},
      {"/?TOKEN=secret", "/?TOKEN=***"},
      {"/?%74oken=secret", "/?%74oken=***"},
      {"/?%54%6F%6b%45%4E=secret", "/?%54%6F%6b%45%4E=***"},
      {"/? token=secret", "/? token=***"},
      {"/?+token%20=secret", "/?+token%20=***"},
      {"/?%token=1", "/?%token=1"},
      {"/?token%=1", "/?token%=1"},
      {"/?token%7=1", "/?token%7=1"},
      {"/?tokens=1&atoken=1&toke=1", "/?tokens=1&atoken=1&toke=1"},
      {"/?=secret", "/?=secret"},
      {"/?&&token=secret&&", "/?&&token=***&&"},
      {"/?a=token=1", "/?a=token=1"},
      {"http://h/p?token=secret", "http://h/p?token=***"},
      {"/?token=\xff\x01&b=\xfe", "/?token=***&b=\xfe"},
  };
  for (const auto& [target, redacted] : rows) EXPECT_EQ(redact(target), redacted) << target;
}

}  // namespace
}  // namespace kefu::auth
