#include "release/release.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace kefu::release {
namespace {

Release draft() {
  Release release;
  release.id = "shop-1";
  release.model = "shop";
  release.stable = 1;
  release.canary = 2;
  return release;
}

const Plan kPlan{
    .steps = {100, 2500}, .step_seconds = 10, .advances = true, .shadow_share = 500, .bake_seconds = 5};

TEST(Release, OrdersByPhase) {
  using enum Order;
  struct Row {
    Phase phase;
    std::set<Order> allowed;
  };
  for (const Row& row :
       {Row{Phase::kDraft, {kShadow, kCanary, kPromote, kRollBack}},
        Row{Phase::kShadow, {kShadow, kCanary, kPromote, kRollBack}},
        Row{Phase::kCanary, {kCanary, kHold, kPromote, kRollBack}},
        Row{Phase::kHold, {kCanary, kPromote, kRollBack}}, Row{Phase::kPromoting, {kFinish, kRollBack}},
        Row{Phase::kDone, {}}, Row{Phase::kRolledBack, {}}}) {
    for (const Order order : {kShadow, kCanary, kHold, kPromote, kFinish, kRollBack}) {
      Release release = draft();
      release.phase = row.phase;
      const auto next = after(release, order, "test", 7, kPlan);
      EXPECT_EQ(next.has_value(), row.allowed.contains(order))
          << phase_name(row.phase) << " " << order_name(order);
      if (!next) {
        EXPECT_EQ(next.error().code, Code::kFailedPrecondition);
      }
    }
  }
}

TEST(Release, AHoldGoesOnWhereItStood) {
  const auto canary = after(draft(), Order::kCanary, "go", 1, kPlan);
  ASSERT_TRUE(canary);
  const auto second = advanced(*canary, "fine", 2);
  const auto held = after(*second, Order::kHold, "look", 3);
  const auto again = after(*held, Order::kCanary, "go on", 4, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->step, 1U);
  EXPECT_EQ(traffic_of(*again).canary_share, 2500);
  const auto promoted = advanced(*again, "fine", 5);
  ASSERT_TRUE(promoted);
  EXPECT_EQ(promoted->phase, Phase::kPromoting);
}

TEST(Release, PlansOutOfRangeAreRefused) {
  for (const Plan& plan :
       {Plan{.steps = {}}, Plan{.steps = {0}}, Plan{.steps = {500, 500}}, Plan{.steps = {900, 500}},
        Plan{.steps = {10'001}}, Plan{.step_seconds = 0}, Plan{.shadow_share = -1}}) {
    const auto next = after(draft(), Order::kCanary, "", 0, plan);
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, Code::kInvalidArgument);
  }
}

TEST(Release, SurvivesTheDisk) {
  auto release = after(draft(), Order::kCanary, "a \"reason\"", 123, kPlan);
  ASSERT_TRUE(release);
  const auto read = read_release(to_json(*release), "state");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(*release));
  EXPECT_EQ(traffic_of(*read), traffic_of(*release));
  Json broken = to_json(*release);
  broken["step"] = 9;
  EXPECT_FALSE(read_release(broken, "state"));
  broken["step"] = 0;
  broken["phase"] = "unknown";
  EXPECT_FALSE(read_release(broken, "state"));
}

/// Whatever happens in whatever order: traffic goes to the release's two versions only, the canary gets some
/// only in canary and hold, and an ended release leaves one label and no residue.
TEST(Release, RandomOrdersNeverLeaveTheTwoVersions) {
  std::mt19937 random(1);
  for (int run = 0; run < 500; ++run) {
    Release release = draft();
    int share_before = 0;
    for (int i = 0; i < 20; ++i) {
      const auto order = static_cast<Order>(random() % 6);
      const bool advances = random() % 4 == 0 && release.phase == Phase::kCanary;
      const auto next = advances ? advanced(release, "advance", i) : after(release, order, "order", i, kPlan);
      if (!next) continue;
      EXPECT_TRUE(release.is_active());
      release = *next;
      const hosting::Traffic traffic = traffic_of(release);
      ASSERT_TRUE(traffic.stable == 1 || traffic.stable == 2);
      const bool is_canary = release.phase == Phase::kCanary || release.phase == Phase::kHold;
      EXPECT_EQ(traffic.canary_share > 0, is_canary);
      if (is_canary && !advances && order == Order::kHold) {
        EXPECT_EQ(traffic.canary_share, share_before);
      }
      share_before = traffic.canary_share;
      if (release.is_active()) continue;
      EXPECT_EQ(traffic, hosting::Traffic{.stable = release.phase == Phase::kDone ? 2 : 1});
    }
  }
}

}  // namespace
}  // namespace kefu::release
