#include "train/slot_trainer.h"

#include <gtest/gtest.h>

namespace kefu::train {
namespace {

/// Texts of three units; the unit with feature 7 is a slot, the one after it its inside.
std::vector<TaggedText> texts() {
  std::vector<TaggedText> out;
  for (std::uint32_t i = 0; i < 60; ++i) {
    TaggedText text;
    const std::size_t at = i % 2;
    for (std::uint32_t u = 0; u < 3; ++u) {
      text.input.units.push_back({{u * 2, u * 2 + 1}});
      text.input.lexical.push_back({100 + (i + u) % 5});
      text.tags.push_back(0);
      for (int d = 0; d < 4; ++d) text.input.dense.push_back(static_cast<float>((i + u) % 3) - 1);
    }
    text.input.lexical[at] = {7};
    text.tags[at] = 1;
    text.tags[at + 1] = 2;
    out.push_back(std::move(text));
  }
  return out;
}

const SlotTrainerSettings kSettings{
    .slot_types = 1, .hidden = 4, .epochs = 30, .least_steps = 60, .learning_rate = 0.02F};

TEST(SlotTrainer, LearnsWhatAFeatureSays) {
  const nlu::SlotHead head(train_slots(texts(), kSettings));
  for (const TaggedText& text : texts()) {
    const auto slots = head.tag(text.input);
    ASSERT_EQ(slots.size(), 1U);
    EXPECT_EQ(text.tags[slots[0].begin], 1U);
    EXPECT_EQ(slots[0].end, slots[0].begin + 2);
  }
}

TEST(SlotTrainer, AFewTextsGetMoreEpochs) {
  const auto epochs_of = [](std::size_t count) {
    std::vector<TaggedText> few = texts();
    few.resize(count);
    std::size_t epochs = 0;
    train_slots(few, kSettings, [&](std::size_t, std::size_t all, double) { epochs = all; });
    return epochs;
  };
  EXPECT_EQ(epochs_of(60), 30U);
  EXPECT_EQ(epochs_of(32), 60U);
  EXPECT_EQ(epochs_of(2), 60U);
}

TEST(SlotTrainer, LossFallsAndIsTheSameForASeed) {
  std::vector<double> losses;
  std::vector<double> again;
  train_slots(texts(), kSettings, [&](std::size_t, std::size_t, double loss) { losses.push_back(loss); });
  train_slots(texts(), kSettings, [&](std::size_t, std::size_t, double loss) { again.push_back(loss); });
  EXPECT_LT(losses.back(), losses.front() / 4);
  EXPECT_EQ(losses, again);
}

}  // namespace
}  // namespace kefu::train
