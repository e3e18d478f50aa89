#include "release/share_detector.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kefu::release {
namespace {

/// The shares tested against, as parts of the way from the allowed share to 1.
constexpr double kWorse[] = {0.03, 0.10, 0.30, 0.80};

/// A reply counts at most so much, and a window, so that a stall that spares the stable version by chance
/// raises no alarm alone, nor soon after another: what it leaves fades by the replies that follow. A ratio
/// that is cut off stays valid evidence.
constexpr double kMostOfReply = 100;
constexpr double kMostOfWindow = 1e4;

constexpr double kMostAssurance = 1e12;  // keeps a long release's product finite

/// Of seeing `tally` under share `a` instead of `b`.
double likelihood_ratio(const Tally& tally, double a, double b) {
  return std::exp(tally.events * std::log(a / b) +
                  (tally.replies - tally.events) * std::log((1 - a) / (1 - b)));
}

/// The stable version's share, three standard errors up: it is an estimate too.
double upper_share(const Tally& usual) {
  const double share = usual.share();
  return share + 3 * std::sqrt((share * (1 - share) + 1 / usual.replies) / usual.replies);
}

}  // namespace

void ShareDetector::observe(const Tally& canary, const Tally& stable, const Tally& usual) {
  if (canary.replies == 0 || usual.replies == 0) return;
  constexpr double kLeast = 1e-4;
  constexpr double kMost = 0.95;
  allowed_ = std::clamp(std::max(upper_share(usual), stable.share()) + tolerance_.margin, kLeast, kMost);
  double evidence = 0;
  for (const double worse : kWorse)
    evidence += likelihood_ratio(canary, allowed_ + (1 - allowed_) * worse, allowed_) / std::size(kWorse);
  alarm_ = (alarm_ + 1) * std::min({evidence, canary.replies * kMostOfReply, kMostOfWindow});
  const double good = std::clamp(usual.share(), kLeast, kMost);
  const double harmful = std::min(std::max(good, stable.share()) + tolerance_.harmful, 0.99);
  assurance_ = std::min(assurance_ * likelihood_ratio(canary, good, harmful), kMostAssurance);
}

}  // namespace kefu::release
