#include "loadgen/schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace kefu::loadgen {
namespace {

using std::chrono::duration;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Schedule, ConstantArrivalsAreEquallyFarApart) {
  Schedule schedule(250, Arrivals::kConstant, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(schedule.next(), milliseconds(4 * i));
}

TEST(Schedule, ConstantArrivalsDoNotDrift) {
  Schedule schedule(30'000, Arrivals::kConstant, 1);
  Duration last{};
  for (int i = 0; i <= 3'000'000; ++i) last = schedule.next();
  EXPECT_EQ(last, std::chrono::seconds(100));
}

TEST(Schedule, PoissonGapsAreExponential) {
  constexpr int kCount = 100'000;
  constexpr double kRate = 5'000;
  Schedule schedule(kRate, Arrivals::kPoisson, 42);
  std::vector<double> gaps;
  Duration last{};
  for (int i = 0; i < kCount; ++i) {
    const Duration next = schedule.next();
    ASSERT_GE(next, last);
    gaps.push_back(duration<double>(next - last).count() * kRate);  // in mean gaps
    last = next;
  }
  std::ranges::sort(gaps);
  double farthest = 0;  // of the empirical distribution from the true one
  for (int i = 0; i < kCount; ++i)
    farthest = std::max(farthest, std::abs((i + 0.5) / kCount - (1 - std::exp(-gaps[i]))));
  EXPECT_LT(farthest, 1.63 / std::sqrt(kCount));  // Kolmogorov and Smirnov: the bound of 1 %
}

TEST(Schedule, PoissonGapsAreIndependent) {
  Schedule schedule(100, Arrivals::kPoisson, 3);
  constexpr int kSeconds = 20'000;
  std::vector<double> counts(kSeconds);  // arrivals of each second: mean and variance are the rate
  for (auto at = schedule.next(); at < std::chrono::seconds(kSeconds); at = schedule.next())
    ++counts[static_cast<std::size_t>(at / std::chrono::seconds(1))];
  const double mean = std::reduce(counts.begin(), counts.end()) / kSeconds;
  double variance = 0;
  for (const double count : counts) variance += (count - mean) * (count - mean) / kSeconds;
  EXPECT_NEAR(mean, 100, 0.5);
  EXPECT_NEAR(variance, 100, 5);
}

TEST(Schedule, TheSeedDeterminesIt) {
  Schedule one(10, Arrivals::kPoisson, 5);
  Schedule same(10, Arrivals::kPoisson, 5);
  Schedule other(10, Arrivals::kPoisson, 6);
  const Duration first = one.next();
  EXPECT_EQ(first, same.next());
  EXPECT_NE(first, other.next());
}

TEST(Permutation, HoldsEachNumberOnceInAnOrderOfTheSeed) {
  Random random(1);
  std::vector<std::uint32_t> order = permutation(1000, random);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  Random same(1);
  EXPECT_EQ(permutation(1000, same), order);
  std::ranges::sort(order);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace kefu::loadgen
