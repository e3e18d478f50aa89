#include "text/scanner.h"

#include <gtest/gtest.h>

#include "text/unicode.h"

namespace kefu::text {
namespace {

constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string cut(const Scanner& scanner, std::u32string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = scanner.match_end(text, at);
    out += "[" + encode_utf8(text.substr(at, end - at)) + "]";
    at = end;
  }
  return out;
}

TEST(Scanner, Gpt2) {
  const Scanner scanner = Scanner::gpt2();
  EXPECT_EQ(cut(scanner, U"It's we'll 'S x'rex"), "[It]['s][ we]['ll][ '][S][ x]['re][x]");
  EXPECT_EQ(cut(scanner, U"a  b   "), "[a][ ][ b][   ]");
  EXPECT_EQ(cut(scanner, U"12a34 ½?!é"), "[12][a][34][ ½][?!][é]");
  EXPECT_EQ(cut(scanner, U"\n\nx\t y"), "[\n][\n][x][\t][ y]");
  EXPECT_EQ(cut(scanner, U" \u3000a"), "[ ][\u3000][a]");
  EXPECT_EQ(cut(scanner, U"'"), "[']");
}

TEST(Scanner, Llama3AndQwen2DifferInDigits) {
  const auto llama3 = Scanner::find(kLlama3);
  const auto qwen2 = Scanner::find(kQwen2);
  ASSERT_TRUE(llama3 && qwen2);
  EXPECT_EQ(cut(*llama3, U"12345"), "[123][45]");
  EXPECT_EQ(cut(*qwen2, U"123"), "[1][2][3]");
  for (const Scanner& scanner : {*llama3, *qwen2}) {
    EXPECT_EQ(cut(scanner, U"We'LLx'ſ \tword"), "[We]['LL][x]['ſ][ ][\tword]");
    EXPECT_EQ(cut(scanner, U"a\r\n\r\n  b"), "[a][\r\n\r\n][ ][ b]");
    EXPECT_EQ(cut(scanner, U" ?!\n\nx"), "[ ?!\n\n][x]");
    EXPECT_EQ(cut(scanner, U" \n \n  x "), "[ \n \n][ ][ x][ ]");
    EXPECT_EQ(cut(scanner, U"\u00A0x-y"), "[\u00A0x][-y]");
  }
}

TEST(Scanner, OnlyPublishedExpressionsAreKnown) {
  EXPECT_TRUE(Scanner::find(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"));
  EXPECT_FALSE(Scanner::find(""));
  EXPECT_FALSE(Scanner::find(R"(\p{L}+)"));
}

}  // namespace
}  // namespace kefu::text
