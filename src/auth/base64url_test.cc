#include "auth/base64url.h"

#include <random>

#include <gtest/gtest.h>

#include "auth/sample_tokens.h"

namespace kefu::auth {
namespace {

TEST(Base64url, DecodesWhatEncodersWrite) {
  // RFC 4648 §10 without padding, and the two characters that are URL-safe.
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},           {"Zg", "f"},          {"Zm8", "fo"},          {"Zm9v", "foo"},
      {"Zm9vYg", "foob"}, {"Zm9vYmE", "fooba"}, {"Zm9vYmFy", "foobar"}, {"-_-_", "\xfb\xff\xbf"},
  };
  for (const auto& [text, bytes] : rows) EXPECT_EQ(decode_base64url(text), bytes) << text;
}

TEST(Base64url, RefusesAllElse) {
  for (const char* text : {"A", "Zm9vY", "Zg==", "Zg=", "Zm 9v", "Zm9v\n", "Zm9v ", "+/+/", "Zm9.", "Zm9\xc3",
                           "Zh", "Zm9", "Zn"})
    EXPECT_EQ(decode_base64url(text), std::nullopt) << text;
  EXPECT_EQ(decode_base64url(std::string_view("Zm\0v", 4)), std::nullopt);
}

TEST(Base64url, EveryTextHasOneSpelling) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 20, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    std::string text = samples::encode_base64url(bytes);
    ASSERT_EQ(decode_base64url(text), bytes);
    if (text.empty()) continue;
    text[random() % text.size()] = static_cast<char>(random());
    if (const auto other = decode_base64url(text)) {
      ASSERT_EQ(samples::encode_base64url(*other), text);
    }
  }
}

}  // namespace
}  // namespace kefu::auth
