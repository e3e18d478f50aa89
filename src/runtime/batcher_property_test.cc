// A simulated server with a clock of its own: random requests, cancels and deadlines against what must always
// hold.

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "runtime/batcher.h"

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

BatchPolicy random_policy(std::mt19937& random) {
  BatchPolicy policy;
  policy.buckets = random() % 2 == 0 ? cpu_buckets(128) : std::vector<std::size_t>{16, 32, 64, 128};
  policy.pads_to_bucket = random() % 2 == 0;
  policy.max_rows = 1 + random() % 16;
  policy.max_tokens = 128 + random() % 1024;
  policy.window = random() % 3 * 2ms;
  policy.promote = random() % 4 * 1ms;
  policy.free_padding = random() % 2 * 20;
  if (random() % 3 == 0) policy.preferred_rows = {1 + random() % policy.max_rows};
  policy.levels.resize(1 + random() % 3);
  for (QueuePolicy& level : policy.levels) {
    level.max_requests = 5 + random() % 60;
    level.timeout = random() % 3 * 10ms;
    level.action = random() % 2 == 0 ? TimeoutAction::kReject : TimeoutAction::kDelay;
  }
  policy.ageing = 20ms;
  return policy;
}

/// What became of a request, kept apart from the batcher.
struct Known {
  QueuedRequest request;
  Time pushed;
  std::size_t level = 1;
  std::set<std::uint32_t> run;
  bool ended = false;  // cancelled or expired
};

class Simulation {
 public:
  explicit Simulation(unsigned seed)
      : random_(seed), policy_(random_policy(random_)), batcher_(policy_), idle_(1 + random_() % 3) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
      const auto what = random_() % 100;
      if (what < 45) push();
      if (what >= 45 && what < 50) cancel();
      if (what >= 50) advance(random_() % 3000 * 1us);
      if (what >= 80) finish_one();
      dispatch();
      audit();
    }
    drain();
  }

 private:
  void push() {
    Known known;
    known.request.id = next_++;
    known.request.rows.resize(random_() % 8 == 0 ? 1 + random_() % 50 : 1);
    for (auto& tokens : known.request.rows) tokens = 1 + random_() % 128;
    known.request.level = random_() % (policy_.levels.size() + 1);
    known.level = known.request.level == 0 ? policy_.default_level : known.request.level;
    if (random_() % 4 == 0) known.request.deadline = now_ + random_() % 20 * 1ms + 1us;
    known.pushed = now_;
    const auto waiting = batcher_.waiting_requests();
    if (batcher_.push(known.request, now_)) {
      known_.emplace(known.request.id, known);
    } else {
      EXPECT_GE(waiting, policy_.levels[known.level - 1].max_requests);
    }
  }

  void cancel() {
    if (known_.empty()) return;
    auto& [id, known] = *std::next(known_.begin(), static_cast<std::ptrdiff_t>(random_() % known_.size()));
    const bool waits = !known.ended && known.run.size() < known.request.rows.size();
    EXPECT_EQ(batcher_.cancel(id), waits);
    known.ended = true;
  }

  /// Time passes from event to event, as a server's timers see it.
  void advance(Duration by) {
    const Time end = now_ + by;
    for (;;) {
      std::optional<Time> next = batcher_.next_expiry();
      if (idle_ > 0) {
        const auto due = batcher_.next_due();
        if (due && (!next || *due < *next)) next = due;
      }
      if (!next || *next > end) break;
      now_ = std::max(now_, *next);
      dispatch();
    }
    now_ = end;
  }

  void finish_one() {
    if (idle_ < 3) ++idle_;
  }

  void dispatch() {
    for (const Expired& expired : batcher_.expire(now_)) {
      Known& known = known_.at(expired.request);
      EXPECT_FALSE(known.ended);
      if (expired.deadline) {
        EXPECT_LE(*known.request.deadline, now_);
      } else {
        EXPECT_EQ(policy_.levels[known.level - 1].action, TimeoutAction::kReject);
        EXPECT_GE(now_ - known.pushed, policy_.levels[known.level - 1].timeout);
      }
      known.ended = true;
    }
    while (idle_ > 0) {
      auto batch = batcher_.next_batch(now_);
      if (!batch) {
        expect_all_within_window();
        return;
      }
      if (random_() % 4 == 0 && policy_.preferred_rows.empty()) batcher_.grow(*batch, now_);
      check(*batch);
      --idle_;
    }
  }

  /// An instance idles only while nobody has waited for the window.
  void expect_all_within_window() {
    for (const auto& [id, known] : known_) {
      const bool waits = !known.ended && known.run.size() < known.request.rows.size();
      EXPECT_TRUE(!waits || now_ - known.pushed < policy_.window) << "request " << id;
    }
  }

  void check(const Batch& batch) {
    ASSERT_FALSE(batch.rows.empty());
    ASSERT_LE(batch.rows.size(), policy_.max_rows);
    std::size_t longest = 0;
    for (const BatchRow& row : batch.rows) {
      Known& known = known_.at(row.request);
      EXPECT_FALSE(known.ended) << "a request that has ended runs";
      EXPECT_EQ(row.tokens, known.request.rows.at(row.row));
      EXPECT_TRUE(known.run.insert(row.row).second) << "a row runs twice";
      longest = std::max<std::size_t>(longest, row.tokens);
      expect_in_order(row, known);
    }
    EXPECT_EQ(batch.longest, longest);
    const std::size_t length = policy_.pads_to_bucket ? policy_.buckets[policy_.bucket_of(longest)] : longest;
    EXPECT_LE(length * batch.rows.size(), policy_.max_tokens);
  }

  /// Of single rows of a level and a bucket the earlier runs first, unless it has been delayed.
  void expect_in_order(const BatchRow& row, const Known& known) {
    if (known.request.rows.size() > 1 || policy_.levels[known.level - 1].timeout > 0ms) return;
    auto& last = last_[{known.level, policy_.bucket_of(row.tokens)}];
    EXPECT_LT(last, row.request + 1);
    last = row.request + 1;
  }

  /// What the batcher says of itself is what has been seen from outside.
  void audit() {
    std::size_t requests = 0;
    std::size_t rows = 0;
    std::size_t tokens = 0;
    for (const auto& [id, known] : known_) {
      if (known.ended || known.run.size() == known.request.rows.size()) continue;
      ++requests;
      rows += known.request.rows.size() - known.run.size();
      for (std::uint32_t row = 0; row < known.request.rows.size(); ++row)
        tokens += known.run.contains(row) ? 0 : known.request.rows[row];
    }
    EXPECT_EQ(batcher_.waiting_requests(), requests);
    EXPECT_EQ(batcher_.waiting_rows(), rows);
    EXPECT_EQ(batcher_.waiting_tokens(), tokens);
  }

  /// With an instance always free everything ends.
  void drain() {
    for (int round = 0; round < 100000 && batcher_.waiting_requests() > 0; ++round) {
      idle_ = 1;
      dispatch();
      now_ += 1ms;
    }
    for (const auto& [id, known] : known_)
      EXPECT_TRUE(known.ended || known.run.size() == known.request.rows.size())
          << "request " << id << " was lost";
    EXPECT_FALSE(batcher_.next_expiry());
    EXPECT_FALSE(batcher_.next_due());
  }

  std::mt19937 random_;
  BatchPolicy policy_;
  Batcher batcher_;
  std::size_t idle_;  // instances
  Time now_{1h};
  RequestId next_ = 0;
  std::map<RequestId, Known> known_;
  std::map<std::pair<std::size_t, std::size_t>, RequestId> last_;
};

TEST(BatcherProperty, NoRowIsLostRepeatedOrKeptWaitingAndLimitsHold) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation(seed).run(200);
  }
}

QueuedRequest row_of_level(RequestId id, std::size_t level) {
  QueuedRequest request;
  request.id = id;
  request.rows = {8};
  request.level = level;
  return request;
}

/// A low level beside a saturating high one waits for its ageing and then for those ahead of it, no longer.
TEST(BatcherProperty, ALowLevelProgressesUnderSaturation) {
  BatchPolicy policy;
  policy.buckets = {64};
  policy.max_rows = 4;
  policy.levels.resize(3);
  policy.ageing = 10ms;
  Batcher batcher(policy);
  std::map<RequestId, Time> low;
  RequestId next = 0;
  std::size_t served = 0;
  for (Time now{1h}; now < Time{1h} + 5s;
       now += 1ms) {  // a batch a millisecond, and one more than it takes comes
    for (int i = 0; i < 4 && batcher.waiting_requests() < 100; ++i)
      ASSERT_TRUE(batcher.push(row_of_level(next++, 1), now));
    if (now.time_since_epoch() % 50ms == 0ms) {
      low.emplace(next, now);
      ASSERT_TRUE(batcher.push(row_of_level(next++, 3), now));
    }
    const auto batch = batcher.next_batch(now);
    ASSERT_TRUE(batch);
    for (const BatchRow& row : batch->rows) {
      if (!low.contains(row.request)) continue;
      EXPECT_LE(now - low.at(row.request), 2 * policy.ageing + 30ms);
      ++served;
    }
  }
  EXPECT_GT(served, 20U);
  EXPECT_GE(served + 3, low.size());
}

}  // namespace
}  // namespace kefu::runtime
