#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include "text/byte_level.h"

namespace kefu::text {
namespace {

Result<PreTokenizers> load_pre_tokenizers(std::string_view json) {
  simdjson::dom::parser parser;
  PreTokenizers steps;
  KEFU_CHECK(
      load_pre_tokenizer(JsonNode(parser.parse(json.data(), json.size()).value(), "test.json"), steps));
  return steps;
}

// The pieces, each followed by the span of the original.
std::string pre_tokenize(std::string_view json, std::string_view input) {
  const auto steps = load_pre_tokenizers(json);
  if (!steps) return steps.error().message;
  Normalized text;
  text.assign(input);
  Pieces pieces;
  if (text.size() > 0) pieces.ranges.push_back({0, static_cast<std::uint32_t>(text.size())});
  for (const auto& step : *steps) step->apply(text, pieces);
  std::string out;
  for (const Span piece : pieces.ranges) {
    out += fmt::format("[{}]{}-{} ", encode_utf8(text.text().substr(piece.begin, piece.end - piece.begin)),
                       text.span(piece.begin).begin, text.span(piece.end - 1).end);
  }
  return out;
}

TEST(PreTokenizer, EachStep) {
  const struct {
    std::string_view json;
    std::string_view input;
    std::string_view output;
  } cases[] = {
      {R"({"type":"WhitespaceSplit"})", " a\u3000bc\n", "[a]1-2 [bc]3-5 "},
      {R"({"type":"Whitespace"})", "ab!? c_1 ½", "[ab]0-2 [!?]2-4 [c_1]5-8 [½]9-10 "},
      {R"({"type":"BertPreTokenizer"})", "ab!?\u00A0c", "[ab]0-2 [!]2-3 [?]3-4 [c]5-6 "},
      {R"({"type":"Digits","individual_digits":true})", "a12b", "[a]0-1 [1]1-2 [2]2-3 [b]3-4 "},
      {R"({"type":"Digits"})", "a12b", "[a]0-1 [12]1-3 [b]3-4 "},
      {R"({"type":"Punctuation"})", "a..b", "[a]0-1 [.]1-2 [.]2-3 [b]3-4 "},
      {R"({"type":"Punctuation","behavior":"Removed"})", "a..b", "[a]0-1 [b]3-4 "},
      {R"({"type":"Split","pattern":{"String":"-"},"behavior":"MergedWithPrevious"})", "a--b",
       "[a-]0-2 [-]2-3 [b]3-4 "},
      {R"({"type":"Split","pattern":{"String":"-"},"behavior":"MergedWithNext"})", "a--b",
       "[a]0-1 [-]1-2 [-b]2-4 "},
      {R"({"type":"Split","pattern":{"String":"-"},"behavior":"Contiguous"})", "a--b",
       "[a]0-1 [--]1-3 [b]3-4 "},
      {R"({"type":"Split","pattern":{"String":"ab"},"behavior":"Removed","invert":true})", "xaby",
       "[ab]1-3 "},
      {R"({"type":"Metaspace"})", "a  b ", "[▁a]0-1 [▁]1-2 [▁b]2-4 [▁]4-5 "},
      {R"({"type":"Metaspace","split":false})", "a b", "[▁a▁b]0-3 "},
      {R"({"type":"Metaspace","prepend_scheme":"never"})", "a b", "[a]0-1 [▁b]1-3 "},
      {R"({"type":"Metaspace","replacement":"_"})", "_a", "[_a]0-2 "},
      {R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","prepend_scheme":"first"}]})",
       "a b", "[▁a]0-1 [b]2-3 "},
      {R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace"}]})", "a b",
       "[▁a]0-1 [▁b]2-3 "},
      {R"({"type":"Metaspace"})", "", ""},
      {R"({"type":"ByteLevel"})", "é b", "[ĠÃ©]0-1 [Ġb]1-3 "},
      {R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", "a b\n", "[aĠbĊ]0-4 "},
  };
  for (const auto& c : cases) EXPECT_EQ(pre_tokenize(c.json, c.input), c.output) << c.json;
}

TEST(PreTokenizer, UnknownStepsAreErrorsThatNameThem) {
  EXPECT_NE(pre_tokenize(R"({"type":"UnicodeScripts"})", "").find("a pre-tokenizer \"UnicodeScripts\""),
            std::string::npos);
  EXPECT_NE(
      pre_tokenize(R"({"type":"Split","pattern":{"Regex":"a+"},"behavior":"Isolated"})", "").find("`a+`"),
      std::string::npos);
  EXPECT_NE(pre_tokenize(R"({"type":"Punctuation","behavior":"Odd"})", "").find("\"Odd\""),
            std::string::npos);
  EXPECT_FALSE(load_pre_tokenizers(R"({"type":"Metaspace","prepend_scheme":"sometimes"})"));
  EXPECT_FALSE(load_pre_tokenizers(R"({"type":"Metaspace","replacement":"ab"})"));
}

TEST(PreTokenizer, ByteAlphabetIsOneToOne) {
  std::u32string seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = byte_char(static_cast<unsigned char>(byte));
    EXPECT_EQ(seen.find(c), std::u32string::npos);
    seen.push_back(c);
  }
  EXPECT_EQ(byte_char(' '), U'Ġ');
  EXPECT_EQ(byte_char('\n'), U'Ċ');
  EXPECT_EQ(byte_char(0xAD), U'Ń');
}

}  // namespace
}  // namespace kefu::text
