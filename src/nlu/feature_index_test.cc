#include "nlu/feature_index.h"

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

TEST(FeatureIndex, FindsWhatIsThere) {
  std::vector<std::uint32_t> features{0, 1, 0xFFFF, 0x10000, 0x10001, 0xABCD1234, 0xFFFFFFFF};
  const FeatureIndex index(features);
  for (std::size_t i = 0; i < features.size(); ++i) EXPECT_EQ(index.find(features[i]), i);
  for (const std::uint32_t other : {2U, 0x1FFFFU, 0xABCD1235U, 0xFFFFFFFEU})
    EXPECT_EQ(index.find(other), index.size());
  EXPECT_EQ(FeatureIndex().find(7), FeatureIndex().size());
  EXPECT_EQ(FeatureIndex(std::vector<std::uint32_t>()).find(7), 0U);
}

}  // namespace
}  // namespace kefu::nlu
