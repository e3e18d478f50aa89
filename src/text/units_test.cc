#include "text/units.h"

#include <gtest/gtest.h>

namespace kefu::text {
namespace {

std::vector<std::string> cut(std::u32string_view text) {
  std::vector<std::string> out;
  for (const Unit& unit : cut_units(text))
    out.push_back(encode_utf8(text.substr(unit.span.begin, unit.span.end - unit.span.begin)));
  return out;
}

TEST(Units, WordsCharactersAndMarks) {
  const std::vector<std::pair<std::u32string, std::vector<std::string>>> table{
      {U"", {}},
      {U"  \u3000\n", {}},
      {U"order A7-20391!", {"order", "A7", "-", "20391", "!"}},
      {U"50块钱", {"50", "块", "钱"}},
      {U"5ギガ", {"5", "ギ", "ガ"}},
      {U"l'iPhone", {"l", "'", "iPhone"}},
      {U"l\u2019été", {"l", "\u2019", "été"}},
      {U"e\u0301te\u0301", {"e\u0301te\u0301"}},
      {U"59,90€", {"59", ",", "90", "€"}},
      {U"كم رصيدي؟", {"كم", "رصيدي", "؟"}},
      {U"ABC查询", {"ABC", "查", "询"}},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(cut(text), expected) << encode_utf8(text);
}

}  // namespace
}  // namespace kefu::text
