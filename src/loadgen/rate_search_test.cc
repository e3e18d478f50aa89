#include "loadgen/rate_search.h"

#include <functional>

#include <gtest/gtest.h>

#include "loadgen/random.h"

namespace kefu::loadgen {
namespace {

struct Searched {
  std::optional<double> rate;
  std::vector<double> probes;
};

Searched search(double first, const std::function<bool(double)>& passes) {
  RateSearch search(first);
  Searched searched;
  while (!search.is_done()) {
    searched.probes.push_back(search.rate());
    search.tell(passes(search.rate()));
  }
  searched.rate = search.found();
  return searched;
}

/// p99 of a server with one worker and exponential service times (M/M/1): -ln 0.01 / (capacity - rate).
bool meets(double rate, double capacity, double bound_s) {
  return rate < capacity && 4.60517 / (capacity - rate) <= bound_s;
}

TEST(RateSearch, FindsTheRateOfASimulatedServerToTwoPercent) {
  for (const double capacity : {300.0, 1000.0, 4321.0, 80'000.0}) {
    for (const double first : {1.0, 100.0, 5000.0, 1e6}) {
      const double highest = capacity - 4.60517 / 0.018;
      const Searched searched = search(first, [&](double rate) { return meets(rate, capacity, 0.018); });
      ASSERT_TRUE(searched.rate) << capacity;
      EXPECT_LE(*searched.rate, highest);
      EXPECT_GT(*searched.rate * 1.02, highest);
      EXPECT_LE(searched.probes.size(), 32U);
      const std::size_t last = searched.probes.size() - 1;
      EXPECT_EQ(searched.probes[last], *searched.rate);  // which has passed before
      EXPECT_EQ(std::count(searched.probes.begin(), searched.probes.end(), *searched.rate), 2);
    }
  }
}

TEST(RateSearch, ProbesInOrder) {
  const Searched searched = search(100, [](double rate) { return rate <= 700; });
  const std::vector<double> begin(searched.probes.begin(), searched.probes.begin() + 7);
  EXPECT_EQ(begin, (std::vector<double>{100, 200, 400, 800, 600, 700, 750}));
}

TEST(RateSearch, ARateThatIsNotConfirmedIsNotFound) {
  bool seen = false;  // 700 passes once
  const Searched searched = search(100, [&](double rate) {
    if (rate == 700) return !std::exchange(seen, true);
    return rate < 700;
  });
  ASSERT_TRUE(searched.rate);
  EXPECT_LT(*searched.rate, 700);
  EXPECT_GT(*searched.rate * 1.02, 700);
}

TEST(RateSearch, NothingPasses) {
  const Searched searched = search(100, [](double) { return false; });
  EXPECT_FALSE(searched.rate);
  EXPECT_EQ(searched.probes.back(), 1.5625);
}

TEST(RateSearch, EndsWhateverTheServerDoes) {
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    const double share = uniform(random);
    const Searched searched = search(100, [&](double) { return uniform(random) < share; });
    EXPECT_LE(searched.probes.size(), 60U);
  }
  EXPECT_LE(search(100, [](double) { return true; }).probes.size(), 60U);
}

}  // namespace
}  // namespace kefu::loadgen
