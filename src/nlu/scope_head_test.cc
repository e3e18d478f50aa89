#include "nlu/scope_head.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "nlu/byte_dot.h"

namespace kefu::nlu {
namespace {

constexpr std::size_t kDimensions = 384;

std::vector<float> random_vectors(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(count * kDimensions);
  for (float& value : out) value = normal(random);
  return out;
}

/// Mean of the five largest cosines, in double.
double exact_closeness(std::span<const float> query, std::span<const float> rows) {
  std::vector<double> cosines;
  for (std::size_t at = 0; at < rows.size(); at += kDimensions) {
    double dot = 0;
    double query_norm = 0;
    double row_norm = 0;
    for (std::size_t i = 0; i < kDimensions; ++i) {
      dot += static_cast<double>(query[i]) * rows[at + i];
      query_norm += static_cast<double>(query[i]) * query[i];
      row_norm += static_cast<double>(rows[at + i]) * rows[at + i];
    }
    cosines.push_back(dot / std::sqrt(query_norm * row_norm));
  }
  std::ranges::sort(cosines, std::greater<>());
  return (cosines[0] + cosines[1] + cosines[2] + cosines[3] + cosines[4]) / 5;
}

TEST(ByteDot, IsExactAtEveryLengthAndExtreme) {
  std::mt19937 random(5);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::uint8_t> a(size);
    std::vector<std::int8_t> b(size);
    std::int32_t expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      a[i] = i % 3 == 0 ? 255 : static_cast<std::uint8_t>(random());
      b[i] = i % 2 == 0 ? -127 : static_cast<std::int8_t>(random());
      expected += static_cast<std::int32_t>(a[i]) * b[i];
    }
    EXPECT_EQ(byte_dot(a.data(), b.data(), size), expected);
  }
}

TEST(NeighborIndex, ClosenessIsTheExactOneWithinTheStepsOfEightBits) {
  const auto rows = random_vectors(500, 1);
  const NeighborIndex index(rows, kDimensions);
  for (unsigned seed = 2; seed < 12; ++seed) {
    auto query = random_vectors(1, seed);
    for (std::size_t i = 0; i < kDimensions; ++i) query[i] += rows[seed * kDimensions + i];
    EXPECT_NEAR(index.closeness(query), exact_closeness(query, rows), 0.005);
  }
}

TEST(NeighborIndex, FewRowsAndNone) {
  const auto rows = random_vectors(2, 1);
  EXPECT_EQ(NeighborIndex().closeness(rows), -1);
  EXPECT_NEAR(NeighborIndex(std::span(rows).first(kDimensions), kDimensions)
                  .closeness(std::span(rows).first(kDimensions)),
              1, 0.005);
  const std::vector<float> zero(kDimensions, 0.0F);
  EXPECT_EQ(NeighborIndex(rows, kDimensions).closeness(zero), 0);
}

TEST(ScopeRule, ScoreFallsWithTheWeightedSum) {
  ScopeRule rule;
  rule.weight = {1, 0, 0, 0};
  EXPECT_FLOAT_EQ(rule.score({.energy = 0}), 0.5F);
  EXPECT_GT(rule.score({.energy = -3}), 0.9F);
  EXPECT_LT(rule.score({.energy = 3}), 0.1F);
}

}  // namespace
}  // namespace kefu::nlu
