// Simulated versions: replies of a window are drawn from distributions, not from the guards' arithmetic.

#include "release/guards.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "hosting/record.h"

namespace kefu::release {
namespace {

/// How a version behaves.
struct Behaviour {
  double median_ms = 8;
  double spread = 0.35;  // standard deviation of the logarithm
  double errors = 0;
  std::vector<double> labels{0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05};
};

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

std::vector<double> latency_shares(const Behaviour& of) {
  std::vector<double> shares;
  double before = 0;
  for (const std::uint64_t bound : hosting::latency_bounds()) {
    const double ms = static_cast<double>(bound) / 1e6;
    const double below = normal_cdf((std::log(ms) - std::log(of.median_ms)) / of.spread);
    shares.push_back(below - before);
    before = below;
  }
  shares.push_back(1 - before);
  return shares;
}

class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {}

  VersionWindow draw(const Behaviour& of, double rate) {
    VersionWindow window;
    window.replies = std::poisson_distribution<std::uint64_t>(rate)(random_);
    window.errors = binomial(window.replies, of.errors);
    window.latency = multinomial(window.replies - window.errors, latency_shares(of));
    window.labels = multinomial(window.replies - window.errors, of.labels);
    return window;
  }

  /// Answers to the same texts, of which such a share differs.
  Tally compare(double rate, double differing) {
    const auto pairs = std::poisson_distribution<std::uint64_t>(rate)(random_);
    return {static_cast<double>(pairs), static_cast<double>(binomial(pairs, differing))};
  }

  double uniform() { return std::uniform_real_distribution<double>()(random_); }

 private:
  std::uint64_t binomial(std::uint64_t trials, double share) {
    if (trials == 0 || share <= 0) return 0;
    return std::binomial_distribution<std::uint64_t>(trials, std::min(share, 1.0))(random_);
  }

  std::vector<std::uint64_t> multinomial(std::uint64_t trials, const std::vector<double>& shares) {
    std::vector<std::uint64_t> counts(shares.size());
    double left = 1;
    for (std::size_t i = 0; i < shares.size() && trials > 0; ++i) {
      if (shares[i] < 1e-9) continue;
      counts[i] = binomial(trials, left > 1e-12 ? shares[i] / left : 1);
      left -= shares[i];
      trials -= counts[i];
    }
    return counts;
  }

  std::mt19937_64 random_;
};

/// Seconds from the first harmful window to the breach, its own among them; 0: none in `limit`.
int seconds_to_breach(const Behaviour& stable, const Behaviour& canary, unsigned seed, int limit,
                      std::string_view* guard) {
  Simulation simulation(seed);
  Guards guards;
  for (int second = 0; second < 20; ++second) {  // both well
    const Judgement judgement = guards.judge({simulation.draw(stable, 900), simulation.draw(stable, 100)});
    EXPECT_FALSE(judgement.breach);
  }
  for (int second = 1; second <= limit; ++second) {
    const Judgement judgement = guards.judge({simulation.draw(stable, 900), simulation.draw(canary, 100)});
    if (!judgement.breach) continue;
    *guard = *judgement.breach;
    return second;
  }
  return 0;
}

struct Harm {
  const char* guard;
  Behaviour canary;
};

std::vector<Harm> harms() {
  Behaviour failing;
  failing.errors = 0.05;
  Behaviour slow;
  slow.median_ms *= 1.5;
  Behaviour flipped;
  flipped.labels = {0.05, 0.05, 0.05, 0.1, 0.1, 0.15, 0.2, 0.3};
  return {{"errors", failing}, {"latency", slow}, {"labels", flipped}};
}

TEST(Guards, SeeEachHarmInAboutThreeWindowsOf100Replies) {
  for (const Harm& harm : harms()) {
    int late = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
      std::string_view guard;
      const int seconds = seconds_to_breach({}, harm.canary, seed, 10, &guard);
      EXPECT_TRUE(seconds > 0 && seconds <= 6) << harm.guard << " seed " << seed << ": " << seconds;
      EXPECT_EQ(guard, harm.guard);
      if (seconds > 3) ++late;
    }
    EXPECT_LE(late, 20) << harm.guard;  // a window of 100 replies may by chance show little
  }
}

/// What befalls both versions now and then, and each alone.
class Weather {
 public:
  explicit Weather(Simulation& simulation) : simulation_(simulation) {}

  /// The behaviours of this second.
  std::pair<Behaviour, Behaviour> next(const Behaviour& usual) {
    if (simulation_.uniform() < 0.01) surge_ = 1 + simulation_.uniform();
    if (simulation_.uniform() < 0.1) surge_ = 1;
    Behaviour stable = usual;
    stable.median_ms *= surge_;
    drift_ += 0.0005;
    stable.labels[0] = 0.3 + 0.2 * std::sin(drift_);
    stable.labels[1] = 0.5 - stable.labels[0];
    Behaviour canary = stable;
    was_held_up_ = !was_held_up_ && simulation_.uniform() < 0.001;
    if (was_held_up_) canary.median_ms *= 3;  // its instance alone, for a second
    return {stable, canary};
  }

 private:
  Simulation& simulation_;
  double surge_ = 1;
  double drift_ = 0;
  bool was_held_up_ = false;
};

/// KEFU_RELEASE_HOURS: simulated hours of each traffic; the soak sets it.
int simulated_hours() {
  const char* hours = std::getenv("KEFU_RELEASE_HOURS");
  return hours != nullptr ? std::atoi(hours) : 2;
}

TEST(Guards, NeverRollAHealthyCanaryBack) {
  struct Row {
    double stable_rate;
    double canary_rate;
    double errors;
  };
  for (const Row& row : {Row{90, 10, 0}, Row{900, 100, 0.002}, Row{500, 500, 0}, Row{20, 1, 0.01}}) {
    Simulation simulation(7);
    Weather weather(simulation);
    Guards guards;
    Behaviour usual;
    usual.errors = row.errors;
    double highest = 0;
    for (int second = 0; second < simulated_hours() * 3600; ++second) {
      const auto [stable, canary] = weather.next(usual);
      const Judgement judgement =
          guards.judge({simulation.draw(stable, row.stable_rate), simulation.draw(canary, row.canary_rate),
                        simulation.compare(std::min(row.canary_rate, 10.0), 0.1)});
      for (const GuardReading& one : judgement.readings) highest = std::max(highest, one.alarm);
      ASSERT_FALSE(judgement.breach) << *judgement.breach << " at second " << second << ", canary "
                                     << row.canary_rate << "/s";
    }
    RecordProperty("highest_alarm_at_" + std::to_string(static_cast<int>(row.canary_rate)),
                   std::to_string(highest));
  }
}

TEST(Guards, AssureAHealthyCanaryAndNoHarmfulOne) {
  Simulation simulation(3);
  Guards guards;
  int second = 0;
  for (; second < 120; ++second) {
    const Window window{simulation.draw({}, 900), simulation.draw({}, 100), simulation.compare(10, 0.05)};
    if (guards.judge(window).assured) break;
  }
  EXPECT_LT(second, 60);
  Behaviour slow;
  slow.median_ms *= 1.25;
  slow.errors = 0.012;
  int assured = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Simulation other(seed);
    Guards strict;
    for (int i = 0; i < 60; ++i) {
      const Judgement judgement = strict.judge({other.draw({}, 900), other.draw(slow, 20)});
      if (judgement.breach) break;
      if (judgement.assured) {
        ++assured;
        break;
      }
    }
  }
  EXPECT_LE(assured, 1);
}

TEST(Guards, SeeIntentsThatChangePlacesAndStayAsFrequent) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Simulation simulation(seed);
    Guards guards;
    int seconds = 0;
    Judgement judgement;
    while (!judgement.breach && ++seconds <= 20)
      judgement =
          guards.judge({simulation.draw({}, 90), simulation.draw({}, 10), simulation.compare(10, 0.9)});
    ASSERT_EQ(judgement.breach, "answers");
    EXPECT_GE(seconds, 2) << seed;  // no window alone
    EXPECT_LE(seconds, 5) << seed;
  }
}

TEST(Guards, DoNotAssureACanaryThatAnswersOtherwise) {
  int assured = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Simulation simulation(seed);
    Guards guards;
    for (int second = 0; second < 300; ++second) {
      const Judgement judgement =
          guards.judge({simulation.draw({}, 90), simulation.draw({}, 10), simulation.compare(10, 0.25)});
      if (judgement.assured) ++assured;
      if (judgement.assured || judgement.breach) break;
    }
  }
  EXPECT_LE(assured, 4);
}

TEST(Guards, TooFewRepliesAreNeitherBreachNorAssurance) {
  Guards guards;
  Simulation simulation(5);
  for (int second = 0; second < 100; ++second) {
    const Judgement judgement = guards.judge({simulation.draw({}, 0.5), {}});
    EXPECT_FALSE(judgement.breach);
    EXPECT_FALSE(judgement.assured);
  }
}

TEST(ShareDetector, AtTheMarginAlarmsAreAsRareAsPromised) {
  // Both exactly at the margin, no stable noise: the expected time to an alarm of 1,000 is at least 1,000.
  std::mt19937_64 random(11);
  double windows = 0;
  int alarms = 0;
  for (int run = 0; run < 200; ++run) {
    ShareDetector test({.margin = 0.05, .harmful = 0.2});
    for (int window = 0; window < 20'000; ++window) {
      ++windows;
      const double usual_share = 0.05;
      const Tally usual{1e9, 1e9 * usual_share};
      const auto events = std::binomial_distribution<int>(50, 0.1)(random);
      test.observe({50, static_cast<double>(events)}, {}, usual);
      if (test.alarm() < 1000) continue;
      ++alarms;
      break;
    }
  }
  EXPECT_GT(windows / std::max(alarms, 1), 1000);
  EXPECT_GT(alarms, 0);  // it does alarm
}

}  // namespace
}  // namespace kefu::release
