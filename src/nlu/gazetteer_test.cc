#include "nlu/gazetteer.h"

#include <gtest/gtest.h>

#include "nlu/slot_features.h"
#include "text/unicode.h"

namespace kefu::nlu {
namespace {

std::vector<std::vector<std::uint32_t>> features_of(const Gazetteer& gazetteer, std::string_view utf8) {
  const std::u32string text = text::decode_utf8(utf8);
  const auto units = text::cut_units(text);
  std::vector<std::vector<std::uint32_t>> features(units.size());
  gazetteer.add_features(text, units, features);
  return features;
}

TEST(Gazetteer, MarksTheUnitsOfAValueWhateverItsCase) {
  const auto gazetteer = Gazetteer::create({{"plan", {"Unlimited", "Unlimited Plus"}}}, {});
  ASSERT_TRUE(gazetteer);
  const auto features = features_of(*gazetteer, "my UNLIMITED plus plan");
  ASSERT_EQ(features.size(), 4U);
  EXPECT_TRUE(features[0].empty());
  EXPECT_EQ(features[1], (std::vector{lexical_hash(14, {string_hash(U"lookup:plan")})}));
  EXPECT_EQ(features[2], (std::vector{lexical_hash(15, {string_hash(U"lookup:plan")})}));
  EXPECT_TRUE(features[3].empty());
}

TEST(Gazetteer, MatchesInsideWordsDoNotCount) {
  const auto gazetteer = Gazetteer::create({{"colour", {"red"}}}, {});
  for (const auto& unit : features_of(*gazetteer, "hundreds of redirects")) EXPECT_TRUE(unit.empty());
}

TEST(Gazetteer, CharactersAreUnitsInChinese) {
  const auto gazetteer = Gazetteer::create({{"city", {"上海"}}}, {});
  const auto features = features_of(*gazetteer, "我在上海");
  ASSERT_EQ(features.size(), 4U);
  EXPECT_EQ(features[2], (std::vector{lexical_hash(14, {string_hash(U"lookup:city")})}));
  EXPECT_EQ(features[3], (std::vector{lexical_hash(15, {string_hash(U"lookup:city")})}));
}

TEST(Gazetteer, PatternsMatchEveryTimeAndEmptyMatchesEnd) {
  const auto gazetteer = Gazetteer::create({}, {{"zip", {R"(\d{5})", "x*"}}});
  const auto features = features_of(*gazetteer, "10115 or 80331");
  EXPECT_EQ(features[0].size(), 1U);
  EXPECT_TRUE(features[1].empty());
  EXPECT_EQ(features[2], features[0]);
}

TEST(Gazetteer, ABadPatternIsNamed) {
  const auto gazetteer = Gazetteer::create({}, {{"zip", {"(", "x"}}});
  ASSERT_FALSE(gazetteer);
  EXPECT_NE(gazetteer.error().message.find("regex:zip"), std::string::npos);
}

}  // namespace
}  // namespace kefu::nlu
