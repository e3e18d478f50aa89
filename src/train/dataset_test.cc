#include "train/dataset.h"

#include <gtest/gtest.h>

#include "train/language_check.h"

namespace kefu::train {
namespace {

Example example(std::string text, std::string intent, std::string language = {}) {
  Example out;
  out.text = std::move(text);
  out.intent = std::move(intent);
  out.language = std::move(language);
  out.origin = {"shop.yml", 1};
  return out;
}

/// Says "fr" of every text that has "le ".
class FrenchIdentifier : public text::LanguageIdentifier {
 public:
  text::Language identify(std::string_view utf8) const override {
    return {utf8.find("le ") == std::string_view::npos ? "de" : "fr", 0.99F};
  }
};

TEST(Dataset, SeenTextsAreRemovedWhateverTheirDress) {
  Dataset seen;
  seen.examples = {example("Where is my order?", "a"), example("表示して！", "a")};
  Dataset data;
  data.examples = {example("where is my ORDER", "a"), example("where is my orders", "a"),
                   example("表示 して", "a")};
  data.examples.push_back(example("Wo ist meine Bestellung", "a"));
  data.examples.back().translated_from = "where is, my order";
  EXPECT_EQ(remove_seen(seen, data), 3U);
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_EQ(data.examples[0].text, "where is my orders");
}

TEST(Dataset, SlotsInsideWordsAreNamedAndLeftOut) {
  Dataset data;
  for (int i = 0; i < 4; ++i) data.examples.push_back(example("cancel order7", "a"));
  data.examples[1].entities.push_back(
      {.name = "order_id", .role = {}, .group = {}, .value = "7", .span = {12, 13}});
  check_dataset(data);
  EXPECT_EQ(data.examples.size(), 3U);
  ASSERT_EQ(data.complaints.size(), 1U);
  EXPECT_EQ(data.complaints[0].message,
            "the order_id at 12..13 of \"cancel order7\" begins or ends inside a word; annotate whole words");
}

TEST(Dataset, TextsInAnotherLanguageAreNamed) {
  Dataset data;
  data.examples = {example("wo bleibt meine Bestellung denn", "a", "de"),
                   example("quand arrive le colis de ma mère", "a", "de"), example("le colis", "a", "de")};
  check_languages(FrenchIdentifier(), data);
  ASSERT_EQ(data.complaints.size(), 1U);
  EXPECT_EQ(
      to_string(data.complaints[0]),
      "shop.yml:1: warning: \"quand arrive le colis de ma mère\" is in fr, the other texts of this file "
      "are in de; move it to fr.yml");
}

TEST(Dataset, WithoutAStatedLanguageTheMostFrequentOneCounts) {
  Dataset data;
  data.examples = {example("wo bleibt meine Bestellung denn", "a"),
                   example("quand arrive le colis de ma mère", "a"),
                   example("je voudrais rendre le pantalon noir", "a")};
  check_languages(FrenchIdentifier(), data);
  ASSERT_EQ(data.complaints.size(), 1U);
  EXPECT_NE(data.complaints[0].message.find("is in de"), std::string::npos);
}

}  // namespace
}  // namespace kefu::train
