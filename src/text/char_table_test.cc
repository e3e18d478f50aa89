#include "text/char_table.h"

#include <gtest/gtest.h>

#include "text/normal_form.h"

namespace kefu::text {
namespace {

TEST(CharTable, Flags) {
  const struct {
    char32_t code_point;
    std::uint32_t set;
    std::uint32_t clear;
  } cases[] = {
      {U'a', kLetter | kWord, kPunctuation | kHasLowercase},
      {U'A', kLetter | kHasLowercase, 0},
      {U'$', kPunctuation, kWord},
      {U'_', kPunctuation | kWord, 0},
      {U'€', 0, kPunctuation | kLetter | kNumber},
      {U'½', kNumber, kWord},
      {U'Ⅷ', kNumber | kWord, 0},
      {U'\u0301', kMark | kNonspacingMark | kWord | kJoinsPrevious, kSingleGrapheme},
      {U'\u0903', kMark, kNonspacingMark},
      {U'\u200D', kControl | kWord, kSpace},
      {U'\uE123', kControl, 0},
      {U'\u00AD', kControl, kWord},
      {U'Ⓐ', kWord, kLetter},
      {U'é', kCanonical, kUnstableC | kUnstableKC},
      {U'\u212B', kCanonical | kUnstableC, 0},
      {U'ﬁ', kCompatible | kUnstableKC, kCanonical | kUnstableC},
      {U'\u0958', kUnstableC, 0},
      {U'한', kCanonical, kUnstableC | kJoinsPrevious},
      {U'\u1161', kJoinsPrevious, 0},
      {U'\uFF9E', kJoinsPrevious | kUnstableKC, 0},
  };
  const CharTable& table = CharTable::get();
  for (const auto& c : cases) {
    EXPECT_EQ(table[c.code_point] & c.set, c.set) << static_cast<unsigned>(c.code_point);
    EXPECT_EQ(table[c.code_point] & c.clear, 0u) << static_cast<unsigned>(c.code_point);
  }
}

// Rule: categories are those of Unicode 15.0, Hugging Face's those of 8.0. These are all the code points of
// 8.0 whose category changed in a way that matters here; parity tests leave them out.
TEST(CharTable, RecategorizedSinceUnicode8) {
  const CharTable& table = CharTable::get();
  EXPECT_EQ(table[U'\u166D'] & kPunctuation, 0u);
  EXPECT_EQ(table[U'\U000111C9'] & (kPunctuation | kMark), std::uint32_t{kMark});
  EXPECT_EQ(table[U'\u1734'] & (kMark | kNonspacingMark), std::uint32_t{kMark});
  EXPECT_NE(table[U'\u1885'] & kNonspacingMark, 0u);
  EXPECT_NE(table[U'\u1886'] & kNonspacingMark, 0u);
  EXPECT_NE(table[U'\uA9BD'] & kMark, 0u);
  EXPECT_NE(table[U'\u1CF2'] & kLetter, 0u);
  EXPECT_NE(table[U'\u1CF3'] & kLetter, 0u);
}

// Rule: code points newer than Hugging Face's tables (Unicode 8.0 categories, 9.0 normalisation) follow
// Unicode 15.0; parity tests leave them out.
TEST(CharTable, NewerCodePointsAreKnown) {
  const CharTable& table = CharTable::get();
  EXPECT_NE(table[U'\u2E43'] & kPunctuation, 0u);         // 9.0
  EXPECT_NE(table[U'\U0001E01F'] & kNonspacingMark, 0u);  // 9.0
  EXPECT_NE(table[U'\U000110CD'] & kControl, 0u);         // 11.0
  EXPECT_EQ(decompose(U'\u32FF', true), U"令和");         // 12.1
  EXPECT_EQ(decompose(U'\U0001E030', true), U"а");        // 15.0
  EXPECT_EQ(simple_lowercase(U'\u1C90'), U'\u10D0');      // 11.0
}

TEST(CharTable, Lowercase) {
  std::u32string out;
  for (const char32_t c : std::u32string_view(U"AÉΣİẞ")) lowercase(c, [&](char32_t l) { out.push_back(l); });
  EXPECT_EQ(out, U"aéσi\u0307ß");
}

TEST(CharTable, ChineseOfBert) {
  for (const char32_t c : std::u32string_view(U"漢㐀𠀀\uF900")) EXPECT_TRUE(is_bert_chinese(c));
  for (const char32_t c : std::u32string_view(U"かカ한a。")) EXPECT_FALSE(is_bert_chinese(c));
}

}  // namespace
}  // namespace kefu::text
