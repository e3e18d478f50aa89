#include "nlu/scope_head.h"

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

TEST(ScopeRule, ScoreFallsWithTheWeightedSum) {
  ScopeRule rule;
  rule.weight = {1, 0, 0, 0};
  EXPECT_FLOAT_EQ(rule.score({.energy = 0}), 0.5F);
  EXPECT_GT(rule.score({.energy = -3}), 0.9F);
  EXPECT_LT(rule.score({.energy = 3}), 0.1F);
}

}  // namespace
}  // namespace kefu::nlu
