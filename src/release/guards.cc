#include "release/guards.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kefu::release {
namespace {

/// Of what the stable version did, from window to window; after 60 it counts half.
const double kFade = std::exp2(-1.0 / 60);

/// The same for the labels that the canary favours: what it does now shows in them soon.
const double kFavourFade = std::exp2(-1.0 / 3);

/// In kAlarm windows at most one false alarm is expected of a guard: of windows of a second, in eleven days
/// of a canary that is as bad as the margins allow.
constexpr double kAlarm = 1e7;
constexpr double kAssured = 100;  // the chance of assurance for a harmful canary is at most its reciprocal

constexpr double kSlowShare = 0.05;    // of the stable version's replies are slow
constexpr double kLeastReplies = 200;  // of the stable version, before its latency and labels are known
constexpr Tolerance kErrors{.margin = 0.001, .harmful = 0.01};
constexpr Tolerance kLatency{.margin = 0.05, .harmful = 0.15};
constexpr Tolerance kLabels{.margin = 0.10, .harmful = 0.20};
constexpr Tolerance kAnswers{.margin = 0.10, .harmful = 0.20};

/// Of the answers of a version that was trained anew and is as good, so many differ, at a guess.
constexpr Tally kRetrained{1e9, 5e7};

/// Adds a window to counts that fade.
void add_faded(std::vector<double>& usual, const std::vector<std::uint64_t>& window, double fade = kFade) {
  usual.resize(std::max(usual.size(), window.size()));
  for (double& count : usual) count *= fade;
  for (std::size_t i = 0; i < window.size(); ++i) usual[i] += static_cast<double>(window[i]);
}

template <typename Counts>
double sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

/// Of counts, those whose number is among `chosen`.
template <typename Counts>
Tally tally_of(const Counts& counts, const std::vector<bool>& chosen) {
  Tally tally{sum(counts), 0};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i < chosen.size() && chosen[i]) tally.events += static_cast<double>(counts[i]);
  }
  return tally;
}

GuardReading reading(std::string_view guard, const ShareDetector& test, double canary_share) {
  return {guard, canary_share, test.allowed(), test.alarm(), test.assurance()};
}

}  // namespace

Guards::Guards() : errors_(kErrors), latency_(kLatency), labels_(kLabels), answers_(kAnswers) {}

Judgement Guards::judge(const Window& window) {
  const double errors = judge_errors(window);
  const double slow = judge_latency(window);
  const double labels = judge_labels(window);
  Judgement judgement;
  judgement.readings = {reading("errors", errors_, errors), reading("latency", latency_, slow)};
  const bool has_labels = sum(usual_labels_) > 0;
  if (has_labels) judgement.readings.push_back(reading("labels", labels_, labels));
  if (window.answers) {
    const double differing = judge_answers(*window.answers);
    judgement.readings.push_back(reading("answers", answers_, differing));
  }
  judgement.assured = true;
  for (const GuardReading& one : judgement.readings) {
    if (one.alarm >= kAlarm && !judgement.breach) judgement.breach = one.guard;
    if (!(one.assurance >= kAssured)) judgement.assured = false;
  }
  return judgement;
}

double Guards::judge_errors(const Window& window) {
  const auto tally = [](const VersionWindow& version) {
    return Tally{static_cast<double>(version.replies), static_cast<double>(version.errors)};
  };
  const Tally stable = tally(window.stable);
  usual_errors_ = {usual_errors_.replies * kFade + stable.replies,
                   usual_errors_.events * kFade + stable.events};
  errors_.observe(tally(window.canary), stable, usual_errors_);
  return tally(window.canary).share();
}

/// The first bucket that is above the stable version's 95th percentile.
std::size_t Guards::slow_from() const {
  const double allowed = kSlowShare * sum(usual_latency_);
  std::size_t from = usual_latency_.size();
  for (double tail = 0; from > 0; --from) {
    tail += usual_latency_[from - 1];
    if (tail > allowed) break;
  }
  return from;
}

double Guards::judge_latency(const Window& window) {
  add_faded(usual_latency_, window.stable.latency);
  if (sum(usual_latency_) < kLeastReplies) return 0;
  const std::size_t from = slow_from();
  std::vector<bool> slow(usual_latency_.size() + 1);
  for (std::size_t i = from; i < slow.size(); ++i) slow[i] = true;
  const Tally canary = tally_of(window.canary.latency, slow);
  latency_.observe(canary, tally_of(window.stable.latency, slow), tally_of(usual_latency_, slow));
  return canary.share();
}

/// The labels are chosen by earlier windows, so that this one's counts are binomial if the versions agree.
double Guards::judge_labels(const Window& window) {
  add_faded(usual_labels_, window.stable.labels);
  const double stable_total = sum(usual_labels_);
  const double canary_total = sum(canary_labels_);
  double share = 0;
  if (stable_total >= kLeastReplies && canary_total > 0) {
    std::vector<bool> favoured(std::max(usual_labels_.size(), canary_labels_.size()));
    for (std::size_t i = 0; i < canary_labels_.size(); ++i) {
      const double usual = i < usual_labels_.size() ? usual_labels_[i] / stable_total : 0;
      favoured[i] = canary_labels_[i] / canary_total > usual;
    }
    const Tally canary = tally_of(window.canary.labels, favoured);
    labels_.observe(canary, tally_of(window.stable.labels, favoured), tally_of(usual_labels_, favoured));
    share = canary.share();
  }
  add_faded(canary_labels_, window.canary.labels, kFavourFade);
  return share;
}

/// Pairs of answers to one text, so that labels that change places are seen although each is as frequent as
/// before.
double Guards::judge_answers(const Tally& answers) {
  answers_.observe(answers, kRetrained, kRetrained);
  return answers.share();
}

}  // namespace kefu::release
