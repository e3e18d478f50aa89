#include "nlu/slot_head.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

constexpr std::size_t kPlainTags = tag_count(2);

/// Dimension t of a unit's row speaks for tag t; dimension 5 makes the next unit a 3; feature 77 speaks
/// for 3.
SlotWeights plain_weights() {
  SlotWeights w;
  w.tags = kPlainTags;
  w.hidden = 6;
  w.scale = 2;
  w.dense.assign(w.hidden * 3 * kPlainTags, 0.0F);
  for (std::size_t t = 0; t < kPlainTags; ++t) w.dense[t * 3 * kPlainTags + kPlainTags + t] = 8;
  w.dense[5 * 3 * kPlainTags + 3] = 8;
  w.features = {7, 77};
  w.lexical = {0, 0, 0, 0, 0, /**/ 0, 0, 0, 6, 0};
  w.bias = {1, 0, 0, 0, 0};
  w.transition.assign(kPlainTags * kPlainTags, 0.0F);
  w.start.assign(kPlainTags, 0.0F);
  return w;
}

SlotInput input_of(const std::vector<std::vector<float>>& rows) {
  SlotInput input;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    input.units.push_back({{i, i + 1}, true});
    input.dense.insert(input.dense.end(), rows[i].begin(), rows[i].end());
    input.lexical.emplace_back();
  }
  return input;
}

TEST(SlotHead, UnitsNeighborsAndFeaturesDecide) {
  const SlotHead head(plain_weights());
  SlotInput input = input_of({{0, 1, 0, 0, 0, 0},
                              {0, 0, 1, 0, 0, 0},
                              {0, 0, 0, 0, 0, 1},
                              {0, 0, 0, 0, 0, 0},
                              {0, 0, 0, 0, 0, 0},
                              {0, 0, 0, 0, 0, 0}});
  input.lexical[5] = {8, 77};
  const auto slots = head.tag(input);
  ASSERT_EQ(slots.size(), 3U);
  const auto is = [](const TaggedSlot& slot, std::size_t type, std::size_t begin, std::size_t end) {
    return slot.type == type && slot.begin == begin && slot.end == end && slot.confidence > 0.5F &&
           slot.confidence <= 1;
  };
  EXPECT_TRUE(is(slots[0], 0, 0, 2));
  EXPECT_TRUE(is(slots[1], 1, 3, 4)) << "by its left neighbour";
  EXPECT_TRUE(is(slots[2], 1, 5, 6)) << "by its feature";
}

TEST(SlotHead, NoUnitsNoSlots) {
  EXPECT_TRUE(SlotHead(plain_weights()).tag({}).empty());
  EXPECT_TRUE(SlotHead().tag(input_of({{1, 0, 0, 0, 0, 0}})).empty());
}

TEST(SlotHead, WeightsBeyondReasonMakeNoSlotWithoutABeginning) {
  SlotWeights weights = plain_weights();
  weights.bias = {0, 0, 2e9F, 0, 0};
  const auto slots = SlotHead(weights).tag(input_of({{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}));
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].begin, 0U);
  EXPECT_EQ(slots[0].end, 2U);
}

TEST(SlotHead, AFileKeepsIt) {
  const auto path = std::filesystem::temp_directory_path() / "kefu-slot-head.safetensors";
  const auto write = [&](const SlotHead& head) {
    TensorFileWriter file;
    head.write(file);
    const std::string bytes = file.finish();
    std::ofstream(path, std::ios::binary) << bytes;
    return bytes;
  };
  const std::string bytes = write(SlotHead(plain_weights()));
  {
    const auto file = TensorFile::open(path);
    ASSERT_TRUE(file.has_value());
    const auto head = SlotHead::read(*file, 2, 6);
    ASSERT_TRUE(head.has_value()) << head.error().message;
    EXPECT_EQ(write(*head), bytes);
    EXPECT_FALSE(SlotHead::read(*file, 3, 6).has_value());
    EXPECT_FALSE(SlotHead::read(*file, 2, 5).has_value());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kefu::nlu
