#include "loadgen/find_max.h"

#include <gtest/gtest.h>

namespace kefu::loadgen {
namespace {

constexpr Outcome kAnswered{Outcome::Kind::kHttp, 200};
constexpr Outcome kBusy{Outcome::Kind::kHttp, 503};

/// A second at 1000 requests/s: so many slow, so many refused, so many answered after its end.
Measurement second_of(std::uint64_t slow, std::uint64_t refused, std::uint64_t later) {
  Measurement measured;
  measured.duration_s = 1;
  measured.requests = 1000;
  measured.outcomes = {{kAnswered, 1000 - refused}, {kBusy, refused}};
  for (std::uint64_t i = 0; i < 1000 - refused; ++i) measured.latency.record(i < slow ? 20'000 : 5'000);
  measured.seconds = {{.length_s = 1, .answers = 1000 - refused - later}};
  return measured;
}

TEST(FindMax, ARateIsSustainedWithinAllBounds) {
  const Goal goal{.p99_ms = 18};
  struct Row {
    std::uint64_t slow, refused, later;
    bool met;
  };
  for (const Row& row : {Row{0, 0, 0, true}, Row{10, 0, 0, true}, Row{11, 0, 0, false}, Row{0, 1, 0, true},
                         Row{0, 2, 0, false}, Row{0, 0, 10, true}, Row{0, 0, 11, false}}) {
    EXPECT_EQ(meets(second_of(row.slow, row.refused, row.later), goal), row.met)
        << row.slow << " " << row.refused << " " << row.later;
  }
  EXPECT_TRUE(meets(second_of(11, 0, 0), {.p99_ms = 20}));
}

TEST(FindMax, SilenceIsNoSuccess) {
  Measurement measured;
  measured.duration_s = 1;
  EXPECT_FALSE(meets(measured, {.p99_ms = 18}));
}

}  // namespace
}  // namespace kefu::loadgen
