#include "runtime/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Time kStart{1h};

BatchPolicy plain_policy() {
  BatchPolicy policy;
  policy.buckets = {16, 32, 64};
  policy.max_rows = 4;
  return policy;
}

QueuedRequest single(RequestId id, std::uint32_t tokens, std::size_t level = 0) {
  QueuedRequest request;
  request.id = id;
  request.rows = {tokens};
  request.level = level;
  return request;
}

std::vector<RequestId> ids(const std::optional<Batch>& batch) {
  std::vector<RequestId> out;
  if (batch) {
    for (const BatchRow& row : batch->rows) out.push_back(row.request);
  }
  return out;
}

TEST(Batcher, WithoutAWindowWhatWaitsGoesAtOnce) {
  Batcher batcher(plain_policy());
  EXPECT_FALSE(batcher.next_batch(kStart));
  ASSERT_TRUE(batcher.push(single(1, 10), kStart));
  ASSERT_TRUE(batcher.push(single(2, 10), kStart));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1, 2));
  EXPECT_EQ(batcher.waiting_requests(), 0U);
}

TEST(Batcher, AWindowWaitsForCompanyAndNoLonger) {
  BatchPolicy policy = plain_policy();
  policy.window = 5ms;
  Batcher batcher(policy);
  ASSERT_TRUE(batcher.push(single(1, 10), kStart));
  EXPECT_FALSE(batcher.next_batch(kStart));
  EXPECT_EQ(batcher.next_due(), kStart + 5ms);
  ASSERT_TRUE(batcher.push(single(2, 10), kStart + 3ms));
  EXPECT_FALSE(batcher.next_batch(kStart + 4ms));
  EXPECT_THAT(ids(batcher.next_batch(kStart + 5ms)), ElementsAre(1, 2));
}

TEST(Batcher, AFullBatchDoesNotWait) {
  BatchPolicy policy = plain_policy();
  policy.window = 5ms;
  Batcher batcher(policy);
  for (RequestId id = 1; id <= 6; ++id) ASSERT_TRUE(batcher.push(single(id, 10), kStart));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(batcher.next_batch(kStart)) << "two wait for company";
}

TEST(Batcher, AFullBatchOfAnotherBucketDoesNotWaitForTheFirst) {
  BatchPolicy policy = plain_policy();
  policy.window = 5ms;
  policy.promote = 5ms;
  Batcher batcher(policy);
  ASSERT_TRUE(batcher.push(single(1, 10), kStart));
  for (RequestId id = 2; id <= 5; ++id) ASSERT_TRUE(batcher.push(single(id, 60), kStart + 1ms));
  EXPECT_THAT(ids(batcher.next_batch(kStart + 1ms)), ElementsAre(2, 3, 4, 5));
}

TEST(Batcher, TheTokenBudgetClosesABatchAndWhatDidNotFitHeadsTheNext) {
  BatchPolicy policy = plain_policy();
  policy.max_tokens = 64;
  Batcher batcher(policy);
  ASSERT_TRUE(batcher.push(single(1, 17), kStart));
  ASSERT_TRUE(batcher.push(single(2, 31), kStart));
  ASSERT_TRUE(batcher.push(single(3, 20), kStart));  // 3 rows of 31 are 93
  ASSERT_TRUE(batcher.push(single(4, 20), kStart));
  const auto batch = batcher.next_batch(kStart);
  EXPECT_THAT(ids(batch), ElementsAre(1, 2));
  EXPECT_EQ(batch->longest, 31U);
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(3, 4));
}

TEST(Batcher, AnEngineOfFixedLengthsPaysForTheBucket) {
  BatchPolicy policy = plain_policy();
  policy.max_tokens = 64;
  policy.pads_to_bucket = true;
  Batcher batcher(policy);
  for (RequestId id = 1; id <= 3; ++id) ASSERT_TRUE(batcher.push(single(id, 17), kStart));
  EXPECT_EQ(batcher.next_batch(kStart)->rows.size(), 2U) << "2 rows of 32";
}

TEST(Batcher, TheLargestPreferredSizeGoesAtOnce) {
  BatchPolicy policy = plain_policy();
  policy.max_rows = 16;
  policy.preferred_rows = {2, 4, 8};
  policy.window = 5ms;
  Batcher batcher(policy);
  ASSERT_TRUE(batcher.push(single(1, 10), kStart));
  EXPECT_FALSE(batcher.next_batch(kStart));
  for (RequestId id = 2; id <= 11; ++id) ASSERT_TRUE(batcher.push(single(id, 10), kStart));
  EXPECT_EQ(batcher.next_batch(kStart)->rows.size(), 8U);
  EXPECT_EQ(batcher.next_batch(kStart)->rows.size(), 2U);
  EXPECT_FALSE(batcher.next_batch(kStart));
  EXPECT_EQ(batcher.next_batch(kStart + 5ms)->rows.size(), 1U);
}

TEST(Batcher, ShorterRowsRideAlongWhenTheirPaddingIsCheapOrTheirWaitLong) {
  BatchPolicy policy = plain_policy();
  policy.free_padding = 20;
  policy.promote = 2ms;
  Batcher batcher(policy);
  const auto push = [&](RequestId id, std::uint32_t tokens, Time at) {
    ASSERT_TRUE(batcher.push(single(id, tokens), at));
  };
  push(1, 60, kStart);
  push(2, 5, kStart);
  push(3, 31, kStart);
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1)) << "29 and 55 tokens of padding are too many";
  push(4, 40, kStart);
  EXPECT_THAT(ids(batcher.next_batch(kStart + 1ms)), ElementsAre(2)) << "it has waited longest";
  EXPECT_THAT(ids(batcher.next_batch(kStart + 1ms)), ElementsAre(3));
  push(5, 31, kStart + 1ms);
  EXPECT_THAT(ids(batcher.next_batch(kStart + 1ms)), ElementsAre(4, 5)) << "9 tokens of padding";
  push(6, 60, kStart);
  push(7, 5, kStart);
  EXPECT_THAT(ids(batcher.next_batch(kStart + 2ms)), ElementsAre(6, 7)) << "it has waited for promote";
}

TEST(Batcher, HigherLevelsGoFirstAndLowOnesAge) {
  BatchPolicy policy = plain_policy();
  policy.max_rows = 1;
  policy.levels.resize(3);
  policy.ageing = 100ms;
  Batcher batcher(policy);
  ASSERT_TRUE(batcher.push(single(1, 10, 3), kStart));
  ASSERT_TRUE(batcher.push(single(2, 10, 1), kStart + 10ms));
  EXPECT_THAT(ids(batcher.next_batch(kStart + 10ms)), ElementsAre(2));
  ASSERT_TRUE(batcher.push(single(3, 10, 2), kStart + 50ms));
  EXPECT_THAT(ids(batcher.next_batch(kStart + 50ms)), ElementsAre(3));
  ASSERT_TRUE(batcher.push(single(4, 10, 1), kStart + 200ms));
  EXPECT_THAT(ids(batcher.next_batch(kStart + 200ms)), ElementsAre(1)) << "counts as level 1 and came first";
}

TEST(Batcher, ManyRowsAreCutAndLeaveRoomForOthers) {
  Batcher batcher(plain_policy());
  QueuedRequest many;
  many.id = 1;
  many.rows.assign(30, 12);
  ASSERT_TRUE(batcher.push(many, kStart));
  ASSERT_TRUE(batcher.push(single(2, 12), kStart));
  EXPECT_EQ(batcher.waiting_rows(), 31U);
  EXPECT_EQ(batcher.waiting_tokens(), 372U);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(2, 1, 1, 1))
      << "four batches of the large one came first";
  for (int i = 0; i < 2; ++i) EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1, 1, 1, 1));
  const auto batch = batcher.next_batch(kStart);
  EXPECT_THAT(ids(batch), ElementsAre(1, 1, 1));
  EXPECT_EQ(batch->rows.back().row, 29U);
  EXPECT_EQ(batcher.waiting_requests(), 0U);
}

TEST(Batcher, RowsThatFillTheTokenBudgetLeaveRoomForOthersToo) {
  BatchPolicy policy = plain_policy();
  policy.max_tokens = 64;  // a row of the last bucket
  Batcher batcher(policy);
  QueuedRequest many;
  many.id = 1;
  many.rows.assign(9, 60);
  ASSERT_TRUE(batcher.push(many, kStart));
  ASSERT_TRUE(batcher.push(single(2, 12), kStart));
  EXPECT_EQ(batcher.waiting_rows(), 10U);
  for (int i = 0; i < 2; ++i) EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(2)) << "two batches of the large one came first";
  for (int i = 0; i < 7; ++i) EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(1));
  EXPECT_EQ(batcher.waiting_requests(), 0U);
  EXPECT_EQ(batcher.waiting_tokens(), 0U);
}

TEST(Batcher, ABatchThatWaitsToRunGrows) {
  Batcher batcher(plain_policy());
  ASSERT_TRUE(batcher.push(single(1, 20), kStart));
  auto batch = batcher.next_batch(kStart);
  ASSERT_TRUE(batcher.push(single(2, 60), kStart));
  ASSERT_TRUE(batcher.push(single(3, 21), kStart));
  batcher.grow(*batch, kStart);
  EXPECT_THAT(ids(batch), ElementsAre(1, 3));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(2));
}

TEST(Batcher, TimesRunOut) {
  BatchPolicy policy = plain_policy();
  policy.levels[0].timeout = 10ms;
  policy.levels[0].may_override = true;
  Batcher batcher(policy);
  QueuedRequest early = single(1, 10);
  early.deadline = kStart + 4ms;
  QueuedRequest own = single(2, 10);
  own.timeout = 6ms;
  ASSERT_TRUE(batcher.push(early, kStart));
  ASSERT_TRUE(batcher.push(own, kStart));
  ASSERT_TRUE(batcher.push(single(3, 10), kStart));
  EXPECT_EQ(batcher.next_expiry(), kStart + 4ms);
  EXPECT_TRUE(batcher.expire(kStart + 3ms).empty());
  const auto first = batcher.expire(kStart + 6ms);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].request, 1U);
  EXPECT_TRUE(first[0].deadline);
  EXPECT_EQ(first[1].request, 2U);
  EXPECT_FALSE(first[1].deadline);
  EXPECT_EQ(batcher.next_expiry(), kStart + 10ms);
  EXPECT_EQ(batcher.expire(kStart + 10ms).size(), 1U);
  EXPECT_FALSE(batcher.next_batch(kStart + 10ms));
  EXPECT_FALSE(batcher.next_expiry());
}

TEST(Batcher, ALateRequestMayGoLastInstead) {
  BatchPolicy policy = plain_policy();
  policy.max_rows = 1;
  policy.levels[0] = {.timeout = 10ms, .action = TimeoutAction::kDelay};
  Batcher batcher(policy);
  QueuedRequest late = single(1, 10);
  late.deadline = kStart + 50ms;
  ASSERT_TRUE(batcher.push(late, kStart));
  ASSERT_TRUE(batcher.push(single(2, 10), kStart + 5ms));
  EXPECT_TRUE(batcher.expire(kStart + 10ms).empty());
  EXPECT_THAT(ids(batcher.next_batch(kStart + 10ms)), ElementsAre(2));
  EXPECT_EQ(batcher.next_expiry(), kStart + 50ms) << "its own deadline stays";
  EXPECT_THAT(ids(batcher.next_batch(kStart + 10ms)), ElementsAre(1));
}

TEST(Batcher, CancelledRequestsTakeNoRoom) {
  Batcher batcher(plain_policy());
  for (RequestId id = 1; id <= 8; ++id) ASSERT_TRUE(batcher.push(single(id, 10), kStart));
  for (RequestId id = 1; id <= 8; id += 2) EXPECT_TRUE(batcher.cancel(id));
  EXPECT_FALSE(batcher.cancel(1));
  EXPECT_THAT(ids(batcher.next_batch(kStart)), ElementsAre(2, 4, 6, 8));
  EXPECT_FALSE(batcher.cancel(2));
}

TEST(Batcher, WhatCannotWaitIsRefusedAndSaysWhy) {
  BatchPolicy policy = plain_policy();
  policy.levels.resize(2);
  policy.levels[1].max_requests = 1;
  Batcher batcher(policy);
  EXPECT_EQ(batcher.push(single(1, 65), kStart).error().message,
            "a row has 65 tokens; the model reads at most 64");
  EXPECT_EQ(batcher.push(single(1, 5, 3), kStart).error().code, Code::kInvalidArgument);
  EXPECT_EQ(batcher.push({}, kStart).error().code, Code::kInvalidArgument);
  QueuedRequest late = single(1, 10);
  late.deadline = kStart;
  EXPECT_EQ(batcher.push(late, kStart).error().code, Code::kDeadlineExceeded);
  ASSERT_TRUE(batcher.push(single(1, 10, 2), kStart));
  EXPECT_EQ(batcher.push(single(2, 10, 2), kStart).error().code, Code::kResourceExhausted);
  EXPECT_TRUE(batcher.push(single(2, 10, 1), kStart)) << "another level's queue has room";
  EXPECT_EQ(batcher.waiting_requests(), 2U);
}

TEST(BatchPolicy, CpuBucketsAreFineAndEndAtTheLongest) {
  EXPECT_THAT(cpu_buckets(100), ElementsAre(8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 100));
  EXPECT_THAT(cpu_buckets(8), ElementsAre(8));
  EXPECT_EQ(cpu_buckets(512).size(), 20U);
}

TEST(BatchPolicy, ContradictionsAreNamed) {
  const auto complaint = [](auto change) {
    BatchPolicy policy = plain_policy();
    change(policy);
    const auto checked = policy.check();
    return checked ? std::string() : checked.error().message;
  };
  using testing::HasSubstr;
  EXPECT_EQ(complaint([](BatchPolicy&) {}), "");
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.max_rows = 0; }), HasSubstr("max_batch"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.max_tokens = 63; }), HasSubstr("max_batch_tokens (63)"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.buckets = {16, 16}; }), HasSubstr("length_buckets"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.buckets.clear(); }), HasSubstr("length_buckets"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.default_level = 2; }),
              HasSubstr("default_priority_level is 2"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.preferred_rows = {5}; }), HasSubstr("preferred_batch_size 5"));
  EXPECT_THAT(complaint([](BatchPolicy& p) { p.ageing = 0ms; }), HasSubstr("priority_ageing_ms"));
}

}  // namespace
}  // namespace kefu::runtime
