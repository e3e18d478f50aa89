#include "text/normal_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kefu::text {
namespace {

std::string spans_of(const Normalized& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    out += fmt::format("{}-{} ", text.span(i).begin, text.span(i).end);
  return out;
}

// Rule: alignments are those of Hugging Face's NormalizedString.
TEST(NormalForm, TextAndSpans) {
  const struct {
    NormalForm form;
    std::u32string_view in;
    std::u32string_view out;
    std::string_view spans;
  } cases[] = {
      {NormalForm::kC, U"abc", U"abc", "0-1 1-2 2-3 "},
      {NormalForm::kC, U"e\u0301x", U"éx", "0-1 2-3 "},
      {NormalForm::kC, U"\u0301e", U"\u0301e", "0-1 1-2 "},
      {NormalForm::kC, U"a\u0307\u0323", U"ạ\u0307", "0-1 2-3 "},
      {NormalForm::kC, U"\u1112\u1161\u11AB", U"한", "0-1 "},
      {NormalForm::kC, U"\uAC00\u11A8", U"각", "0-1 "},
      {NormalForm::kC, U"\u212B", U"Å", "0-1 "},
      {NormalForm::kC, U"\u0958", U"\u0915\u093C", "0-1 0-1 "},
      {NormalForm::kD, U"é각", U"e\u0301\u1100\u1161\u11A8", "0-1 0-1 1-2 1-2 1-2 "},
      {NormalForm::kD, U"ﬁ", U"ﬁ", "0-1 "},
      {NormalForm::kKC, U"ﬁé", U"fié", "0-1 0-1 1-2 "},
      {NormalForm::kKC, U"ｶﾞ", U"ガ", "0-1 "},
      {NormalForm::kKC, U"ﾞ", U"\u3099", "0-1 "},
      {NormalForm::kKC, U"Ａ１　", U"A1 ", "0-1 1-2 2-3 "},
      {NormalForm::kKD, U"½ﷺ", U"1\u20442صلى الله عليه وسلم", ""},
      {NormalForm::kC, U"", U"", ""},
  };
  for (const auto& c : cases) {
    Normalized text;
    text.assign(encode_utf8(c.in));
    apply_normal_form(c.form, text);
    EXPECT_EQ(encode_utf8(text.text()), encode_utf8(c.out));
    if (!c.spans.empty()) {
      EXPECT_EQ(spans_of(text), c.spans) << encode_utf8(c.in);
    }
  }
}

TEST(NormalForm, PairsComposeUnlessExcluded) {
  EXPECT_EQ(compose(U'e', U'\u0301'), U'é');
  EXPECT_EQ(compose(U'\u0915', U'\u093C'), 0u);
  EXPECT_EQ(compose(U'A', U'\u030A'), U'Å');
  EXPECT_EQ(compose(0x1100, 0x1161), U'가');
  EXPECT_EQ(compose(U'a', U'b'), 0u);
  EXPECT_EQ(compose(U'\U00011099', U'\U000110BA'), U'\U0001109A');
}

TEST(NormalForm, ManyMarksInLinearTime) {
  std::u32string marks(1, U'e');
  for (int i = 0; i < 200'000; ++i) marks += i % 2 == 0 ? U'\u0301' : U'\u0323';
  Normalized text;
  text.assign(encode_utf8(marks));
  apply_normal_form(NormalForm::kKC, text);
  EXPECT_EQ(text.size(), marks.size() - 1);  // U+1EB9 takes one mark, the others stay
}

}  // namespace
}  // namespace kefu::text
