#include "text/normalizer.h"

#include <gtest/gtest.h>

#include "text/normalizer_precompiled.h"
#include "text/normalizer_replace.h"

namespace kefu::text {
namespace {

Result<Normalizers> load_normalizers(std::string_view json) {
  simdjson::dom::parser parser;
  Normalizers steps;
  KEFU_CHECK(load_normalizer(
      JsonNode(parser.parse(json.data(), json.size()).value(), "test.json", "normalizer"), steps));
  return steps;
}

// "text|begin-end begin-end"
std::string normalize(std::string_view json, std::string_view input) {
  const auto steps = load_normalizers(json);
  if (!steps) return steps.error().message;
  Normalized text;
  text.assign(input);
  for (const auto& step : *steps) step->apply(text);
  std::string out = encode_utf8(text.text()) + "|";
  for (std::size_t i = 0; i < text.size(); ++i)
    out += fmt::format("{}{}-{}", i ? " " : "", text.span(i).begin, text.span(i).end);
  return out;
}

TEST(Normalizer, EachStep) {
  const struct {
    std::string_view json;
    std::string_view input;
    std::string_view output;
  } cases[] = {
      {R"({"type":"Strip"})", " \u3000a b\n", "a b|2-3 3-4 4-5"},
      {R"({"type":"Strip","strip_left":false})", " a ", " a|0-1 1-2"},
      {R"({"type":"Strip"})", "  ", "|"},
      {R"({"type":"StripAccents"})", "e\u0301\u0903x", "ex|0-1 3-4"},
      {R"({"type":"Lowercase"})", "AİB", "ai\u0307b|0-1 1-2 1-2 2-3"},
      {R"({"type":"Prepend","prepend":"▁x"})", "ab", "▁xab|0-1 0-1 0-1 1-2"},
      {R"({"type":"Prepend","prepend":"▁"})", "", "|"},
      {R"({"type":"Nmt"})", "a\u0001\tb\u200B", "a b |0-1 2-3 3-4 4-5"},
      {R"({"type":"NFKC"})", "ﬁ", "fi|0-1 0-1"},
      {R"({"type":"Replace","pattern":{"String":"a"},"content":"xy"})", "bab", "bxyb|0-1 1-2 1-2 2-3"},
      {R"({"type":"Replace","pattern":{"String":"a"},"content":""})", "bab", "bb|0-1 2-3"},
      {R"({"type":"Replace","pattern":{"String":"ab"},"content":"x"})", "abcab", "xcx|1-2 2-3 4-5"},
      {R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "})", "a  b c   ",
       "a b c |0-1 2-3 3-4 4-5 5-6 8-9"},
      {R"({"type":"Replace","pattern":{"Regex":"\\s+"},"content":"_"})", "a \n b", "a_b|0-1 3-4 4-5"},
      {R"({"type":"Replace","pattern":{"Regex":"\\."},"content":"!"})", "..a", "!!a|0-1 1-2 2-3"},
      {R"({"type":"BertNormalizer"})", "É漢\u200D\t", "e 漢  |0-1 1-2 1-2 1-2 3-4"},
      {R"({"type":"BertNormalizer","lowercase":false})", "É", "É|0-1"},
      {R"({"type":"BertNormalizer","strip_accents":false,"handle_chinese_chars":false,"clean_text":false})",
       "É\t漢", "é\t漢|0-1 1-2 2-3"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(normalize(c.json, c.input), c.output) << c.json;
  }
}

TEST(Normalizer, BertRemovesNul) {
  using namespace std::string_view_literals;
  EXPECT_EQ(normalize(R"({"type":"BertNormalizer"})", "a\0b\uFFFD"sv), "ab|0-1 2-3");
}

// Rule: replacements in a row are one pass, but what an earlier one produces is replaced by a later one.
TEST(Normalizer, ReplacementsInARowActInOrder) {
  const std::string_view json = R"({"type":"Sequence","normalizers":[
    {"type":"Replace","pattern":{"String":"a"},"content":"bc"},
    {"type":"Replace","pattern":{"String":"b"},"content":"dd"},
    {"type":"Replace","pattern":{"String":"a"},"content":"never"},
    {"type":"Replace","pattern":{"String":"d"},"content":""}]})";
  EXPECT_EQ(load_normalizers(json)->size(), 1u);
  EXPECT_EQ(normalize(json, "abx"), "cx|0-1 2-3");
}

TEST(Normalizer, UnknownStepsAreErrorsThatNameThem) {
  EXPECT_EQ(load_normalizers(R"({"type":"Magic"})").error().code, Code::kUnimplemented);
  EXPECT_NE(normalize(R"({"type":"Magic"})", "").find("test.json: normalizer is a normalizer \"Magic\""),
            std::string::npos);
  EXPECT_NE(
      normalize(
          R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Replace","pattern":{"Regex":"a|b"},"content":""}]})",
          "")
          .find("normalizer.normalizers[1] is a Replace of the regular expression `a|b`"),
      std::string::npos);
  EXPECT_NE(normalize(R"({"type":"Prepend"})", "").find("\"normalizer.prepend\" is missing"),
            std::string::npos);
  EXPECT_EQ(load_normalizers(R"({"type":"Replace","pattern":{"String":""},"content":"x"})").error().code,
            Code::kUnimplemented);
}

TEST(Normalizer, RunPatterns) {
  const struct {
    std::u32string_view regex;
    bool known;
    std::size_t at_least;
  } cases[] = {{U" {2,}", true, 2},    {U"\\s+", true, 1},  {U"x", true, 1},      {U"\\n", true, 1},
               {U"漢{12,}", true, 12}, {U"", false, 0},     {U"\\", false, 0},    {U".", false, 0},
               {U"ab", false, 0},      {U" {2}", false, 0}, {U" {0,}", false, 0}, {U"\\w+", false, 0},
               {U"[ab]", false, 0},    {U" {,}", false, 0}, {U" *", false, 0}};
  for (const auto& c : cases) {
    RunPattern pattern;
    EXPECT_EQ(parse_run_pattern(c.regex, pattern), c.known) << encode_utf8(c.regex);
    if (c.known) {
      EXPECT_EQ(pattern.at_least, c.at_least);
    }
  }
}

TEST(Normalizer, Base64) {
  std::string out;
  EXPECT_TRUE(decode_base64("TWFu", out));
  EXPECT_EQ(out, "Man");
  EXPECT_TRUE(decode_base64("TQ==", out));
  EXPECT_EQ(out, "M");
  for (const char* bad : {"TWF", "T===", "TW.u", "===="}) EXPECT_FALSE(decode_base64(bad, out)) << bad;
}

TEST(Normalizer, CharsMapChecksItsBounds) {
  const std::string wild("\x04\0\0\0\xFF\xFF\xFF\x7F", 8);
  const auto map = CharsMap::parse(wild, "test");
  ASSERT_TRUE(map);
  std::string_view replacement;
  EXPECT_FALSE(map->find("abc", replacement));
  EXPECT_FALSE(CharsMap::parse("", "test"));
  EXPECT_FALSE(CharsMap::parse(std::string("\x08\0\0\0abcd", 8), "test"));
}

}  // namespace
}  // namespace kefu::text
