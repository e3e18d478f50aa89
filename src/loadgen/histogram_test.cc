#include "loadgen/histogram.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kefu::loadgen {
namespace {

constexpr double kShares[] = {0, 0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1};

/// By definition: the least of the sorted values that `share` of them do not exceed.
std::uint64_t exact_quantile(const std::vector<std::uint64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<std::uint64_t> latencies(std::size_t count, double log_mean, double log_deviation,
                                     std::mt19937_64& random) {
  std::lognormal_distribution<double> distribution(log_mean, log_deviation);
  std::vector<std::uint64_t> values(count);
  for (auto& value : values)
    value = std::min(static_cast<std::uint64_t>(distribution(random)), Histogram::kMost);
  return values;
}

TEST(Histogram, QuantilesAreThoseOfTheSortedValuesToThreeDigits) {
  std::mt19937_64 random(7);
  for (const double log_mean : {1.0, 7.0, 12.0, 20.0}) {
    std::vector<std::uint64_t> values = latencies(20'000, log_mean, 1.5, random);
    Histogram histogram;
    for (const std::uint64_t value : values) histogram.record(value);
    std::ranges::sort(values);
    for (const double share : kShares) {
      const std::uint64_t exact = exact_quantile(values, share);
      const std::uint64_t found = histogram.quantile(share);
      EXPECT_GE(found, exact) << share;
      EXPECT_LE(static_cast<double>(found), static_cast<double>(exact) * 1.001) << share;
    }
    EXPECT_EQ(histogram.max(), values.back());
  }
}

TEST(Histogram, SmallValuesAndTheEndsOfTheRangeAreExact) {
  for (const std::uint64_t value : {0ULL, 1ULL, 2047ULL, 2048ULL, 3'600'000'000ULL}) {
    Histogram histogram;
    histogram.record(value);
    EXPECT_EQ(histogram.quantile(0.5), value);
    EXPECT_EQ(histogram.max(), value);
    EXPECT_EQ(histogram.mean(), static_cast<double>(value));
  }
  Histogram histogram;
  histogram.record(Histogram::kMost + 1);
  EXPECT_EQ(histogram.quantile(1), Histogram::kMost);
}

TEST(Histogram, EveryValueLiesInABucketNoWiderThanAThousandthOfIt) {
  for (std::uint64_t value = 1; value < Histogram::kMost; value += 1 + value / 700) {
    Histogram histogram;
    histogram.record(value);
    histogram.record(Histogram::kMost);  // so that the maximum caps nothing
    ASSERT_GE(histogram.quantile(0.5), value);
    ASSERT_LE(histogram.quantile(0.5) - value, value / 1000);
  }
}

TEST(Histogram, MergedIsAsIfRecordedInOne) {
  std::mt19937_64 random(11);
  Histogram one;
  Histogram other;
  Histogram both;
  for (const std::uint64_t value : latencies(1000, 8, 1, random)) one.record(value), both.record(value);
  for (const std::uint64_t value : latencies(3000, 10, 2, random)) other.record(value), both.record(value);
  one.merge(other);
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.max(), both.max());
  EXPECT_EQ(one.mean(), both.mean());
  for (const double share : kShares) EXPECT_EQ(one.quantile(share), both.quantile(share));
}

TEST(Histogram, NothingRecorded) {
  Histogram histogram;
  histogram.record(5);
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.quantile(0.99), 0U);
  EXPECT_EQ(histogram.max(), 0U);
  EXPECT_EQ(histogram.mean(), 0);
}

}  // namespace
}  // namespace kefu::loadgen
