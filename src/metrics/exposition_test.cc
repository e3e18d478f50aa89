#include "metrics/exposition.h"

#include <gtest/gtest.h>

namespace kefu::metrics {
namespace {

TEST(Exposition, FamiliesSamplesAndEscapes) {
  Exposition out;
  out.family("kefu_things_total", "counter", "Things.");
  out.sample({}, std::uint64_t{3});
  out.sample({{"model", "a\"b\\c\nd"}, {"version", "1"}}, 0.5);
  EXPECT_EQ(std::move(out).text(),
            "# HELP kefu_things_total Things.\n# TYPE kefu_things_total counter\nkefu_things_total 3\n"
            "kefu_things_total{model=\"a\\\"b\\\\c\\nd\",version=\"1\"} 0.5\n");
}

TEST(Exposition, BucketsOfAHistogramAddUp) {
  const Bounds bounds{1, 2};
  Histogram histogram(bounds);
  for (const std::uint64_t value : {0U, 1U, 2U, 7U}) histogram.observe(value);
  Exposition out;
  out.family("h", "histogram", "H.");
  out.sample({{"m", "x"}}, bounds, histogram.snapshot(), 1);
  EXPECT_EQ(std::move(out).text(),
            "# HELP h H.\n# TYPE h histogram\nh_bucket{m=\"x\",le=\"1\"} 2\nh_bucket{m=\"x\",le=\"2\"} 3\n"
            "h_bucket{m=\"x\",le=\"+Inf\"} 4\nh_sum{m=\"x\"} 10\nh_count{m=\"x\"} 4\n");
}

TEST(Exposition, NanosecondsAreWrittenAsSeconds) {
  Histogram histogram(duration_bounds());
  histogram.observe(std::chrono::milliseconds(3));
  histogram.observe(std::chrono::milliseconds(-1));
  Exposition out;
  out.family("d", "histogram", "D.");
  out.sample({}, duration_bounds(), histogram.snapshot(), 1e-9);
  const std::string text = std::move(out).text();
  EXPECT_NE(text.find("d_bucket{le=\"5e-05\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("d_sum 0.003\n"), std::string::npos) << text;
  EXPECT_NE(text.find("d_count 2\n"), std::string::npos) << text;
}

TEST(Histogram, BoundsOfDurations) {
  EXPECT_EQ(duration_bounds().size(), 30U);
  EXPECT_EQ(duration_bounds().front(), 50'000U);
  EXPECT_NEAR(static_cast<double>(duration_bounds().back()), 6.4e9, 0.1e9);
  EXPECT_EQ(size_bounds().back(), 8192U);
}

}  // namespace
}  // namespace kefu::metrics
