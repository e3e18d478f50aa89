#include "text/unicode.h"

#include <gtest/gtest.h>

namespace kefu::text {
namespace {

using namespace std::string_view_literals;

// Rule: every maximal part of an ill-formed sequence is one U+FFFD (Unicode 15, section 3.9, "U+FFFD
// Substitution of Maximal Subparts"; the first two rows are its tables 3-8 and 3-9).
TEST(Unicode, InvalidUtf8BecomesReplacementPerMaximalPart) {
  const struct {
    std::string_view bytes;
    std::u32string_view text;
  } cases[] = {
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", U"\uFFFD\uFFFD\uFFFD\uFFFDA"},
      {"a\xE6\xBC", U"a\uFFFD"},
      {"\xF0\x9F\x98", U"\uFFFD"},
      {"\x80", U"\uFFFD"},
      {"a\0b"sv, U"a\0b"sv},
      {"", U""},
      {"\xF4\x8F\xBF\xBF", U"\U0010FFFF"},
      {"é漢😀", U"é漢😀"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(decode_utf8(c.bytes), c.text) << c.bytes;
    EXPECT_TRUE(is_valid_utf8(encode_utf8(c.text)));
  }
}

TEST(Unicode, EncodingRefusesWhatIsNoCodePoint) {
  EXPECT_EQ(encode_utf8(U"aé漢😀"), "aé漢😀");
  for (const char32_t bad : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    std::string out;
    append_utf8(bad, out);
    EXPECT_EQ(out, "\uFFFD");
  }
}

TEST(Unicode, OffsetsOfCodePoints) {
  EXPECT_EQ(code_point_offsets("aé漢😀"), (std::vector<std::uint32_t>{0, 1, 3, 6, 10}));
  EXPECT_EQ(code_point_offsets(""), (std::vector<std::uint32_t>{0}));
}

TEST(Unicode, WhiteSpace) {
  for (const char32_t c : U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000"sv) {
    EXPECT_TRUE(is_space(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : U"a\u200B\u180E\u2060\uFEFF"sv)
    EXPECT_FALSE(is_space(c)) << static_cast<unsigned>(c);
  EXPECT_FALSE(is_space(0x110000));
}

TEST(Unicode, ValidityOfUtf8) {
  EXPECT_TRUE(is_valid_utf8("é漢😀"));
  EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80"));
}

}  // namespace
}  // namespace kefu::text
