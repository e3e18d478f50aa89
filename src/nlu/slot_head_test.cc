#include "nlu/slot_head.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

constexpr std::size_t kTags = tag_count(2);
constexpr std::size_t kUnits = 4;

SlotWeights random_weights() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  SlotWeights w;
  w.tags = kTags;
  for (std::size_t i = 0; i < kTags * kTags; ++i) w.transition.push_back(normal(random));
  for (std::size_t i = 0; i < kTags; ++i) w.start.push_back(normal(random));
  return w;
}

/// Every sequence of tags that may be, with its score.
template <typename Visit>
void enumerate(const SlotWeights& w, std::span<const float> emissions, const Visit& visit) {
  std::vector<std::size_t> path(kUnits, 0);
  for (std::size_t code = 0; code < 5 * 5 * 5 * 5; ++code) {
    for (std::size_t u = 0, rest = code; u < kUnits; ++u, rest /= kTags) path[u] = rest % kTags;
    double score = is_inside(path[0]) ? -INFINITY : static_cast<double>(w.start[path[0]]);
    for (std::size_t u = 0; u < kUnits; ++u) {
      score += static_cast<double>(emissions[u * kTags + path[u]]);
      if (u == 0) continue;
      score += may_follow(path[u - 1], path[u])
                   ? static_cast<double>(w.transition[path[u - 1] * kTags + path[u]])
                   : -INFINITY;
    }
    if (!std::isinf(score)) visit(path, score);
  }
}

TEST(SlotHead, ViterbiAndMarginalsEqualEnumeration) {
  const SlotWeights w = random_weights();
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> scores(kUnits * kTags);
  for (float& value : scores) value = normal(random);
  std::vector<std::size_t> best;
  double highest = -INFINITY;
  double sum = 0;
  std::vector<double> expected(kUnits * kTags, 0);
  std::vector<double> pairs(kTags * kTags, 0);
  enumerate(w, scores, [&](const std::vector<std::size_t>& path, double score) {
    if (score > highest) {
      highest = score;
      best = path;
    }
    sum += std::exp(score);
    for (std::size_t u = 0; u < kUnits; ++u) expected[u * kTags + path[u]] += std::exp(score);
    for (std::size_t u = 1; u < kUnits; ++u) pairs[path[u - 1] * kTags + path[u]] += std::exp(score);
  });
  const StepTable steps(w);
  EXPECT_EQ(viterbi(w, steps, scores), best);
  std::vector<float> found;
  std::vector<float> found_pairs(kTags * kTags, 0);
  EXPECT_NEAR(marginals(w, steps, scores, found, found_pairs.data()), std::log(sum), 1e-4);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i] / sum, 1e-5);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_NEAR(found_pairs[i], pairs[i] / sum, 1e-5);
}

TEST(SlotHead, FeatureIndexFindsWhatIsThere) {
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
