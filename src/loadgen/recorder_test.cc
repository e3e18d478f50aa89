#include "loadgen/recorder.h"

#include <gtest/gtest.h>

namespace kefu::loadgen {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Outcome kOk{Outcome::Kind::kHttp, 200};
constexpr Outcome kRefused{Outcome::Kind::kHttp, 429};
constexpr Outcome kTimedOut{Outcome::Kind::kTimeout};
constexpr Outcome kNeverSent{Outcome::Kind::kUnsent};

const Plan kPlan{.rate = 10, .warmup = milliseconds(1000), .duration = milliseconds(2500)};

Sample sample(int intended_ms, int sent_ms, int ended_ms, Outcome outcome = kOk) {
  return {.intended = milliseconds(intended_ms),
          .sent = milliseconds(sent_ms),
          .ended = milliseconds(ended_ms),
          .found_free = true,
          .outcome = outcome,
          .sent_bytes = 10,
          .received_bytes = 100};
}

Measurement recorded(const Plan& plan, const std::vector<Sample>& samples) {
  Recorder recorder(plan);
  for (const Sample& each : samples) recorder.record(each);
  return std::move(recorder).finish();
}

TEST(Recorder, LatencyCountsFromWhenItWasMeantToBeSent) {
  const Measurement measured = recorded(kPlan, {sample(1000, 1005, 1025)});
  EXPECT_EQ(measured.latency.max(), 25'000U);
  EXPECT_EQ(measured.service.max(), 20'000U);
  EXPECT_EQ(measured.lateness.max(), 5'000U);
  EXPECT_EQ(measured.sent_bytes, 10U);
  EXPECT_EQ(measured.received_bytes, 100U);
}

TEST(Recorder, OnlyWhatWasMeantForTheMeasuredTimeCounts) {
  const Measurement measured = recorded(kPlan, {sample(999, 999, 1001), sample(1000, 1000, 1002),
                                                sample(3499, 3499, 4000), sample(3500, 3500, 4001)});
  EXPECT_EQ(measured.requests, 2U);
  EXPECT_EQ(measured.successes(), 2U);
  EXPECT_DOUBLE_EQ(measured.intended_rate(), 2 / 2.5);
}

TEST(Recorder, RefusalsAreNotTimedButGivenUpOnesAre) {
  const Measurement measured =
      recorded(kPlan, {sample(1000, 1000, 1001, kRefused), sample(1100, 1100, 1600, kTimedOut),
                       sample(1200, 0, 2200, kNeverSent), sample(1300, 1300, 2300)});
  EXPECT_EQ(measured.requests, 4U);
  EXPECT_EQ(measured.outcomes,
            (std::map<Outcome, std::uint64_t>{{kOk, 1}, {kRefused, 1}, {kTimedOut, 1}, {kNeverSent, 1}}));
  EXPECT_DOUBLE_EQ(measured.error_share(), 0.75);
  EXPECT_EQ(measured.latency.count(), 3U);
  EXPECT_EQ(measured.service.count(), 2U);
  EXPECT_NEAR(static_cast<double>(measured.latency.quantile(0.01)), 500'000, 500);
}

TEST(Recorder, LatenessIsOfThoseThatFoundAFreeConnection) {
  Sample waited = sample(1000, 1300, 1400);
  waited.found_free = false;
  const Measurement measured = recorded(kPlan, {waited, sample(1500, 1501, 1502)});
  EXPECT_EQ(measured.waited, 1U);
  EXPECT_EQ(measured.lateness.count(), 1U);
  EXPECT_EQ(measured.lateness.max(), 1000U);
}

TEST(Recorder, AClosedLoopIsNeverLate) {
  Plan plan = kPlan;
  plan.rate = 0;
  const Measurement measured = recorded(plan, {sample(1000, 1000, 1400)});
  EXPECT_EQ(measured.lateness.count(), 0U);
  EXPECT_EQ(measured.waited, 0U);
}

TEST(Recorder, SecondsAreThoseInWhichAnswersCame) {
  const Measurement measured = recorded(
      kPlan, {sample(900, 900, 1100), sample(1000, 1000, 1200), sample(1000, 1000, 1999),
              sample(3000, 3000, 3100, kRefused), sample(3000, 3000, 3200), sample(3300, 3300, 3600)});
  ASSERT_EQ(measured.seconds.size(), 3U);
  EXPECT_EQ(measured.seconds[0].answers, 3U);
  EXPECT_NEAR(static_cast<double>(measured.seconds[0].p99_us), 999'000, 999);
  EXPECT_EQ(measured.seconds[1].answers, 0U);
  EXPECT_EQ(measured.seconds[1].p99_us, 0U);
  EXPECT_EQ(measured.seconds[2].answers, 1U);
  EXPECT_DOUBLE_EQ(measured.seconds[2].length_s, 0.5);
  EXPECT_DOUBLE_EQ(measured.achieved_rate(), 4 / 2.5);
}

TEST(Recorder, ALateSampleCountsForTheSecondAtHand) {
  const Measurement measured = recorded(kPlan, {sample(2000, 2000, 2001), sample(1999, 1999, 1999)});
  EXPECT_EQ(measured.seconds[1].answers, 2U);
}

TEST(Recorder, NothingHappened) {
  const Measurement measured = recorded(kPlan, {});
  EXPECT_EQ(measured.seconds.size(), 3U);
  EXPECT_EQ(measured.error_share(), 0);
  EXPECT_EQ(measured.achieved_rate(), 0);
}

TEST(Outcome, Names) {
  EXPECT_EQ(outcome_name(kOk), "200");
  EXPECT_EQ(outcome_name({Outcome::Kind::kGrpc, 0}), "OK");
  EXPECT_EQ(outcome_name({Outcome::Kind::kGrpc, 5}), "NOT_FOUND");
  EXPECT_EQ(outcome_name({Outcome::Kind::kGrpc, 16}), "UNAUTHENTICATED");
  EXPECT_EQ(outcome_name({Outcome::Kind::kGrpc, 17}), "UNKNOWN");
  EXPECT_EQ(outcome_name({Outcome::Kind::kConnection}), "connection");
}

TEST(Outcome, Successes) {
  EXPECT_TRUE(is_success(kOk));
  EXPECT_TRUE(is_success({Outcome::Kind::kGrpc, 0}));
  for (const Outcome outcome :
       {kRefused, kTimedOut, kNeverSent, Outcome{Outcome::Kind::kGrpc, 14}, Outcome{}})
    EXPECT_FALSE(is_success(outcome)) << outcome_name(outcome);
}

}  // namespace
}  // namespace kefu::loadgen
