#include "train/trainer.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "text/units.h"
#include "train/rasa_reader.h"

namespace kefu::train {
namespace {

/// What a tagger that made no error would say of the example: type and code points.
std::vector<std::pair<std::size_t, text::Span>> slots_of(const std::vector<std::size_t>& tags,
                                                         const std::vector<text::Unit>& units) {
  std::vector<std::pair<std::size_t, text::Span>> slots;
  for (std::size_t u = 0; u < tags.size(); ++u) {
    if (tags[u] == 0) continue;
    if (!nlu::is_inside(tags[u])) slots.push_back({(tags[u] - 1) / 2, units[u].span});
    slots.back().second.end = units[u].span.end;
  }
  return slots;
}

TEST(Trainer, UnitsExpressEverySpanOfTheReferenceDomains) {
  std::size_t spans = 0;
  for (const char* domain : {"common", "ecommerce", "telecom"}) {
    for (const char* part : {"nlu", "test"}) {
      const auto data = read_domain(std::filesystem::path(KEFU_SOURCE_DIR) / "domains" / domain, part);
      ASSERT_TRUE(data.has_value()) << data.error().message;
      const auto types = slot_types(*data);
      for (const Example& example : data->examples) {
        const auto units = text::cut_units(text::decode_utf8(example.text));
        const auto tags = tag_units(example, units, types);
        ASSERT_TRUE(tags.has_value()) << tags.error().message;
        auto expected = example.entities;
        std::ranges::sort(expected, {}, [](const Entity& entity) { return entity.span.begin; });
        const auto slots = slots_of(*tags, units);
        ASSERT_EQ(slots.size(), expected.size()) << example.text;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          EXPECT_EQ(types[slots[i].first].entity, expected[i].name) << example.text;
          EXPECT_EQ(slots[i].second.begin, expected[i].span.begin) << example.text;
          EXPECT_EQ(slots[i].second.end, expected[i].span.end) << example.text;
        }
        spans += slots.size();
      }
    }
  }
  EXPECT_GT(spans, 5000U);
}

TEST(Trainer, ASpanInsideAWordIsNamed) {
  const Example example{.text = "order A77",
                        .intent = "order_status",
                        .domain = {},
                        .language = {},
                        .translated_from = {},
                        .entities = {{.name = "id", .role = {}, .group = {}, .value = "77", .span = {7, 9}}},
                        .origin = {"en.yml", 5}};
  const auto tags = tag_units(example, text::cut_units(U"order A77"), {{"id", "", ""}});
  ASSERT_FALSE(tags.has_value());
  EXPECT_NE(tags.error().message.find("en.yml:5"), std::string::npos) << tags.error().message;
}

}  // namespace
}  // namespace kefu::train
