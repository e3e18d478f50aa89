#include "nlu/tag_chain.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

constexpr std::size_t kTags = tag_count(2);
constexpr std::size_t kUnits = 4;

struct Weights {
  std::vector<float> transition;
  std::vector<float> start;
};

Weights random_weights() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Weights w;
  for (std::size_t i = 0; i < kTags * kTags; ++i) w.transition.push_back(normal(random));
  for (std::size_t i = 0; i < kTags; ++i) w.start.push_back(normal(random));
  return w;
}

/// Every sequence of tags that may be, with its score.
template <typename Visit>
void enumerate(const Weights& w, std::span<const float> emissions, const Visit& visit) {
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

TEST(TagChain, BestPathAndMarginalsEqualEnumeration) {
  const Weights w = random_weights();
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
  const TagChain chain(w.start, w.transition);
  EXPECT_EQ(chain.best_path(scores), best);
  std::vector<float> found;
  std::vector<float> found_pairs(kTags * kTags, 0);
  EXPECT_NEAR(chain.marginals(scores, found, found_pairs.data()), std::log(sum), 1e-4);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i] / sum, 1e-5);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_NEAR(found_pairs[i], pairs[i] / sum, 1e-5);
}

TEST(TagChain, NoUnits) {
  const Weights w = random_weights();
  const TagChain chain(w.start, w.transition);
  std::vector<float> marginals;
  EXPECT_TRUE(chain.best_path({}).empty());
  EXPECT_EQ(chain.marginals({}, marginals, nullptr), 0);
  EXPECT_TRUE(marginals.empty());
}

TEST(TagChain, MoreTagsThanARegisterHolds) {
  constexpr std::size_t kMany = tag_count(40);
  std::vector<float> transition(kMany * kMany, 0.0F);
  const std::vector<float> start(kMany, 0.0F);
  std::vector<float> emissions(3 * kMany, 0.0F);
  emissions[0 * kMany + 79] = 2;
  emissions[1 * kMany + 80] = 2;  // continues 79
  emissions[2 * kMany + 36] = 2;  // continues 35, which is not before it
  emissions[2 * kMany + 41] = 1;
  EXPECT_EQ(TagChain(start, transition).best_path(emissions), (std::vector<std::size_t>{79, 80, 41}));
}

TEST(TagChain, MarginalsOfManyTags) {
  constexpr std::size_t kMany = tag_count(40);
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t size) {
    std::vector<float> out(size);
    for (float& value : out) value = normal(random);
    return out;
  };
  const auto transition = draw(kMany * kMany);
  const auto start = draw(kMany);
  const auto emissions = draw(2 * kMany);
  std::vector<double> expected(2 * kMany, 0.0);
  double sum = 0;
  for (std::size_t a = 0; a < kMany; ++a) {
    for (std::size_t b = 0; !is_inside(a) && b < kMany; ++b) {
      if (!may_follow(a, b)) continue;
      const double weight = std::exp(static_cast<double>(start[a]) + emissions[a] +
                                     transition[a * kMany + b] + emissions[kMany + b]);
      expected[a] += weight;
      expected[kMany + b] += weight;
      sum += weight;
    }
  }
  std::vector<float> found;
  EXPECT_NEAR(TagChain(start, transition).marginals(emissions, found, nullptr), std::log(sum), 1e-4);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i] / sum, 1e-5);
}

}  // namespace
}  // namespace kefu::nlu
