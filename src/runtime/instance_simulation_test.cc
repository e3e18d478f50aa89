// The controller beside a simulated pool: requests that come at random, wait in one queue for the first free
// instance, and run alone.

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/instance_controller.h"

namespace kefu::runtime {
namespace {

using namespace std::chrono_literals;

constexpr double kRun = 0.02;      // seconds, the mean
constexpr double kStartUp = 0.2;   // until a new instance serves
constexpr double kSampling = 0.1;  // between samples
constexpr double kNever = std::numeric_limits<double>::infinity();

Duration seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

using Runs = std::function<double(std::mt19937&)>;

/// A queue of type M/G/n whose load and n change. It knows nothing of the controller.
class SimulatedPool {
 public:
  SimulatedPool(Runs runs, std::size_t instances, unsigned seed)
      : random_(seed), runs_(std::move(runs)), wanted_(instances), instances_(instances) {}

  /// `load`: the number of instances that it keeps busy.
  void set_load(double load) {
    load_ = load;
    draw_arrival();
  }

  void set_wanted(std::size_t wanted) {
    for (; wanted_ < wanted; ++wanted_) starts_.push_back(now_ + kStartUp);
    wanted_ = wanted;
    retire();
  }

  void advance(double until) {
    for (;;) {
      const double end = ends_.empty() ? kNever : *std::ranges::min_element(ends_);
      const double start = starts_.empty() ? kNever : starts_.front();
      const double next = std::min({end, start, arrival_});
      pass(std::min(next, until));
      if (next > until) return;
      if (next == end) {
        ends_.erase(std::ranges::min_element(ends_));
        retire();
      } else if (next == start) {
        starts_.pop_front();
        ++instances_;
        retire();
      } else {
        queue_.push_back(now_);
        draw_arrival();
      }
      take();
    }
  }

  /// What has been since the last call.
  InstanceSample sample() {
    InstanceSample sample{.waiting = queue_.size(), .instances = instances_};
    if (taken_ > 0) {
      sample.queue_time = seconds(waited_ / taken_);
      sample.run_time = seconds(run_ / taken_);
    }
    sample.busy = busy_ / (now_ - sampled_);
    taken_ = 0;
    waited_ = run_ = busy_ = 0;
    sampled_ = now_;
    return sample;
  }

  double now() const { return now_; }

 private:
  void draw_arrival() {
    arrival_ = load_ > 0 ? now_ + std::exponential_distribution<>(load_ / kRun)(random_) : kNever;
  }

  void pass(double until) {
    busy_ += static_cast<double>(ends_.size()) * (until - now_);
    now_ = until;
  }

  /// Those too many leave as soon as they do not run.
  void retire() {
    while (instances_ > wanted_ && instances_ > ends_.size()) --instances_;
  }

  void take() {
    while (!queue_.empty() && ends_.size() < instances_) {
      const double run = runs_(random_);
      waited_ += now_ - queue_.front();
      run_ += run;
      ++taken_;
      queue_.pop_front();
      ends_.push_back(now_ + run);
    }
  }

  std::mt19937 random_;
  Runs runs_;
  double load_ = 0;
  double now_ = 0;
  double arrival_ = kNever;
  std::size_t wanted_;
  std::size_t instances_;
  std::deque<double> starts_;
  std::vector<double> ends_;  // of those that run
  std::deque<double> queue_;  // when they came
  double sampled_ = 0;
  double waited_ = 0;
  double run_ = 0;
  double busy_ = 0;
  int taken_ = 0;
};

/// Pool and controller, and how many instances were wanted at each sample.
class Loop {
 public:
  Loop(const InstancePolicy& policy, Runs runs, unsigned seed)
      : controller_(policy), pool_(std::move(runs), policy.min, seed) {}

  void run(double load, double length) {
    pool_.set_load(load);
    for (const double end = pool_.now() + length; pool_.now() + kSampling / 2 < end;) {
      pool_.advance(pool_.now() + kSampling);
      const InstanceSample sample = pool_.sample();
      wanted_.push_back(controller_.observe(sample, Time{1h} + seconds(pool_.now())));
      pool_.set_wanted(wanted_.back());
    }
  }

  std::size_t wanted() const { return wanted_.back(); }
  const std::vector<std::size_t>& history() const { return wanted_; }

  /// Since a moment.
  std::vector<std::size_t> since(double moment) const {
    return {wanted_.begin() + static_cast<std::ptrdiff_t>(moment / kSampling), wanted_.end()};
  }

  /// When it first wanted so many, from a moment on; kNever: never.
  double reached(std::size_t instances, double from) const {
    const auto begin = wanted_.begin() + static_cast<std::ptrdiff_t>(from / kSampling);
    const auto found = std::find(begin, wanted_.end(), instances);
    return found == wanted_.end() ? kNever : kSampling * static_cast<double>(found - wanted_.begin());
  }

 private:
  InstanceController controller_;
  SimulatedPool pool_;
  std::vector<std::size_t> wanted_;
};

double constant(std::mt19937& /*random*/) {
  return kRun;
}

double exponential(std::mt19937& random) {
  return std::exponential_distribution<>(1 / kRun)(random);
}

/// A variance of four times the squared mean: most are short, some very long.
double heavy_tailed(std::mt19937& random) {
  const double variance = std::log(5);
  return std::lognormal_distribution<>(std::log(kRun) - variance / 2, std::sqrt(variance))(random);
}

std::size_t changes(const std::vector<std::size_t>& wanted) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < wanted.size(); ++i) count += wanted[i] != wanted[i - 1] ? 1 : 0;
  return count;
}

/// Four minutes to settle, as the first additions may bring too many, then ten.
void expect_settles(const Runs& runs, double load, unsigned seed, std::size_t most_changes) {
  SCOPED_TRACE(testing::Message() << "load " << load << ", seed " << seed);
  Loop loop({.min = 1, .max = 12}, runs, seed);
  loop.run(load, 240 + 600);
  const std::vector<std::size_t> settled = loop.since(240);
  const auto [least, most] = std::ranges::minmax(settled);
  EXPECT_LE(most - least, 1U);
  EXPECT_LE(changes(settled), most_changes);
  EXPECT_GT(static_cast<double>(least), load);
  EXPECT_LE(static_cast<double>(most), load / InstancePolicy().low_use + 2);
}

TEST(InstanceSimulation, ConstantLoadSettles) {
  struct Case {
    Runs runs;
    std::size_t most_changes;
  };
  for (const auto& [runs, most_changes] : {Case{constant, 2}, Case{exponential, 4}, Case{heavy_tailed, 6}}) {
    for (const double load : {0.2, 0.5, 0.6, 0.9, 1.3, 2.2, 4.1, 6.5}) {
      for (unsigned seed = 0; seed < 2; ++seed) expect_settles(runs, load, seed, most_changes);
    }
  }
}

TEST(InstanceSimulation, AStepOfLoadIsFollowedUpInSecondsAndDownInMinutes) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Loop loop({.min = 2, .max = 8}, exponential, seed);
    loop.run(0.9, 60);
    EXPECT_EQ(loop.wanted(), 2U);
    loop.run(7, 60);
    EXPECT_LT(loop.reached(8, 60), 60 + 6);
    EXPECT_EQ(loop.wanted(), 8U);
    loop.run(0.9, 240);
    EXPECT_EQ(loop.wanted(), 2U);
    EXPECT_EQ(changes(loop.history()), 3 + 6U);
  }
}

/// Each brings for a fifth of `add_after` four times the work that two instances can do; the queue is empty
/// again after all of it.
TEST(InstanceSimulation, ShortBurstsAddNothing) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Loop loop({.min = 2, .max = 8}, exponential, seed);
    for (int burst = 0; burst < 20; ++burst) {
      loop.run(0.5, 10);
      loop.run(8, 0.2);
    }
    EXPECT_EQ(changes(loop.history()), 0U);
  }
}

TEST(InstanceSimulation, NothingToChooseNothingMoves) {
  Loop loop({.min = 3, .max = 3}, exponential, 1);
  for (const double load : {0.0, 1.0, 10.0, 0.0}) loop.run(load, 60);
  EXPECT_EQ(loop.wanted(), 3U);
  EXPECT_EQ(changes(loop.history()), 0U);
}

TEST(InstanceSimulation, OverloadStaysAtMostAndIdlenessComesBackToLeast) {
  Loop loop({.min = 1, .max = 6}, exponential, 1);
  loop.run(9, 300);
  EXPECT_LT(loop.reached(6, 0), 10);
  EXPECT_EQ(changes(loop.history()), 3U);
  loop.run(0, 900);
  EXPECT_EQ(loop.wanted(), 1U);
  EXPECT_EQ(changes(loop.history()), 3 + 5U);
}

}  // namespace
}  // namespace kefu::runtime
