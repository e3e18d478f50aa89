#pragma once
// Whether the canary of a release harms: a pure function of what both versions did, a window after another.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "release/share_detector.h"

namespace kefu::release {

/// What a version did in a window.
struct VersionWindow {
  std::uint64_t replies = 0;
  std::uint64_t errors = 0;              // of the replies
  std::vector<std::uint64_t> latency{};  // of those without error, by hosting::latency_bounds()
  std::vector<std::uint64_t> labels{};   // texts by intent, out of scope last
};

struct Window {
  VersionWindow stable{};
  VersionWindow canary{};
  std::optional<Tally>
      answers{};  // that both gave to the same texts; events: they differ; none: they read no texts
};

/// One guard's view of the last window.
struct GuardReading {
  std::string_view guard;  // "errors", "latency", "labels", "answers"
  double canary_share = 0;
  double allowed_share = 0;
  double alarm = 0;
  double assurance = 0;
};

struct Judgement {
  std::optional<std::string_view> breach{};  // the guard that was breached
  bool assured = false;                      // there is evidence against harm from every guard
  std::vector<GuardReading> readings{};
};

/// Four guards: replies that fail; replies slower than the stable version's 95th percentile; replies with
/// the labels that the canary has given more often than the stable version so far; answers that are not the
/// stable version's to the same text. Too few replies are no breach and no assurance. A value, of one
/// release.
class Guards {
 public:
  Guards();

  Judgement judge(const Window& window);

 private:
  // Each gives the canary's share in this window.
  double judge_errors(const Window& window);
  double judge_latency(const Window& window);
  double judge_labels(const Window& window);
  double judge_answers(const Tally& answers);
  std::size_t slow_from() const;

  ShareDetector errors_;
  ShareDetector latency_;
  ShareDetector labels_;
  ShareDetector answers_;
  Tally usual_errors_;  // of the stable version, faded
  std::vector<double> usual_latency_;
  std::vector<double> usual_labels_;
  std::vector<double> canary_labels_;  // of the windows before the last one
};

}  // namespace kefu::release
