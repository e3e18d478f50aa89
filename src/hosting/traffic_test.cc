#include "hosting/traffic.h"

#include <string>

#include <gtest/gtest.h>

namespace kefu::hosting {
namespace {

TEST(ShareBucket, SpreadsKeysEvenlyAndAnewForEachRelease) {
  int below = 0;
  int moved = 0;
  constexpr int kKeys = 20'000;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "customer-" + std::to_string(i);
    const int bucket = share_bucket("shop-1", key);
    ASSERT_GE(bucket, 0);
    ASSERT_LT(bucket, kWhole);
    EXPECT_EQ(bucket, share_bucket("shop-1", key));
    if (bucket < 500) ++below;
    if ((bucket < 500) != (share_bucket("shop-2", key) < 500)) ++moved;
  }
  EXPECT_NEAR(below, kKeys / 20, 100);  // three standard errors
  EXPECT_NEAR(moved, 2 * kKeys / 20 * 0.95, 150);
}

TEST(ShareBucket, TextsThatJoinAlikeAreApart) {
  EXPECT_NE(share_bucket("a", "bc"), share_bucket("ab", "c"));
}

TEST(ShareBucket, IsTheSameInEveryBuild) {
  EXPECT_EQ(share_bucket("shop-1", "customer-7"), 7281);  // replicas of different builds must agree
}

}  // namespace
}  // namespace kefu::hosting
