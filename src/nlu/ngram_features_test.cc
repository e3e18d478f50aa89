#include "nlu/ngram_features.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

TEST(NgramFeatures, BucketsAreAscendingAndUnique) {
  const auto buckets = ngram_buckets(U"banana banana");
  EXPECT_TRUE(std::ranges::adjacent_find(buckets, std::ranges::greater_equal()) == buckets.end());
  EXPECT_LT(buckets.back(), kNgramBuckets);
}

TEST(NgramFeatures, FormsOfOneTextAreOneText) {
  const auto plain = ngram_buckets(U"order a7-12 café");
  EXPECT_EQ(ngram_buckets(U"ORDER  A7-99\u3000cafe\u0301"), plain);
  EXPECT_EQ(ngram_buckets(U"ｏｒｄｅｒ ａ７-１２ café"), plain);
  EXPECT_NE(ngram_buckets(U"orders a7-12 café"), plain);
}

TEST(NgramFeatures, CountsAsManyAsThereAre) {
  // " a ": " ", "a", " a", "a ", " a "; buckets of so few do not collide.
  EXPECT_EQ(ngram_buckets(U"a").size(), 5U);
  EXPECT_EQ(ngram_buckets(U"").size(), 1U);
}

TEST(NgramFeatures, AnyCodePointsAreRead) {
  EXPECT_FALSE(ngram_buckets(std::u32string(1, U'\0')).empty());
  EXPECT_FALSE(ngram_buckets(std::u32string{0xFFFD, 0x10FFFF, 0xD7A3}).empty());
}

TEST(NgramWeights, RareBucketsWeighMoreAndVectorsHaveLengthOne) {
  const std::vector<std::vector<std::uint32_t>> texts{{1, 2}, {1, 3}, {1, 2}};
  const NgramWeights weights = NgramWeights::fit(texts);
  EXPECT_FLOAT_EQ(weights.idf()[1], 0);
  EXPECT_FLOAT_EQ(weights.idf()[2], std::log(4.0F / 3.0F));
  EXPECT_FLOAT_EQ(weights.idf()[3], std::log(2.0F));
  const SparseVector vector = weights.apply({1, 2, 3});
  EXPECT_EQ(vector.index, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_LT(vector.value[1], vector.value[2]);
  float squares = 0;
  for (const float value : vector.value) squares += value * value;
  EXPECT_FLOAT_EQ(squares, 1);
}

}  // namespace
}  // namespace kefu::nlu
