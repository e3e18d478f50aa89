#include "loadgen/rate_search.h"

namespace kefu::loadgen {
namespace {

constexpr double kPrecision = 1.02;       // of the lowest rate that failed to the highest that passed
constexpr double kLeastSearchedRate = 1;  // requests a second
constexpr int kMostProbes = 60;           // more than any server needs that behaves the same for a minute

}  // namespace

void RateSearch::tell(bool passed) {
  if (confirming_ && passed) {
    found_ = rate_;
    done_ = true;
    return;
  }
  if (confirming_) passed_.pop_back();
  confirming_ = false;
  if (passed) {
    passed_.push_back(rate_);
  } else {
    failed_ = rate_;
  }
  choose();
  done_ = rate_ < kLeastSearchedRate || ++probes_ >= kMostProbes;
}

void RateSearch::choose() {
  if (passed_.empty()) {
    rate_ /= 2;
  } else if (!failed_) {
    rate_ *= 2;
  } else if (*failed_ > kPrecision * passed_.back()) {
    rate_ = (passed_.back() + *failed_) / 2;
  } else {
    rate_ = passed_.back();
    confirming_ = true;
  }
}

}  // namespace kefu::loadgen
