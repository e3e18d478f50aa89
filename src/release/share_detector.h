#pragma once
// Does the canary show an event more often than the stable version? Judged anew with each window, at any
// time.

#include <cstdint>

namespace kefu::release {

/// Replies, and those of them that show the event; sums may have faded.
struct Tally {
  double replies = 0;
  double events = 0;

  double share() const { return replies > 0 ? events / replies : 0; }
};

/// What the canary's share of events may be above the stable version's.
struct Tolerance {
  double margin = 0;   // up to here it is as good
  double harmful = 0;  // from here on it must not be promoted
};

/// A Shiryaev-Roberts e-detector (Shin, Ramdas and Rinaldo, "E-detectors", 2023) over likelihood ratios of
/// binomial counts, one a window. Its alarm() is expected to reach A no more than once in A windows as long
/// as the canary's share is within the margin of the stable version's, whenever one looks. Against it stands
/// assurance(), a product of likelihood ratios: the chance that it ever reaches 1/a while the canary's share
/// is harmful is at most a (Ville's inequality). A value; windows of no replies change nothing.
class ShareDetector {
 public:
  explicit ShareDetector(Tolerance tolerance) : tolerance_(tolerance) {}

  /// `canary` and `stable`: this window's; `usual`: the stable version's in the last minutes, this window's
  /// among them. What happens to both versions in the same window is not held against the canary.
  void observe(const Tally& canary, const Tally& stable, const Tally& usual);

  double alarm() const { return alarm_; }
  double assurance() const { return assurance_; }

  /// The share that the canary was allowed in the last window.
  double allowed() const { return allowed_; }

 private:
  Tolerance tolerance_;
  double alarm_ = 0;
  double assurance_ = 1;
  double allowed_ = 0;
};

}  // namespace kefu::release
