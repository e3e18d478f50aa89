#include "runtime/instance_controller.h"

#include <algorithm>
#include <utility>

namespace kefu::runtime {
namespace {

/// Of the target, in times of a run.
constexpr int kRunsOfTarget = 2;

/// An addition that follows a removal within so many `remove_after` undoes it …
constexpr int kRegret = 10;
/// … and doubles the patience up to this many.
constexpr int kMostPatience = 16;

}  // namespace

Result<void> InstancePolicy::check() const {
  if (min < 1 || min > max) {
    return fail(Code::kInvalidArgument, "instances: min is {} and max {}; 1 <= min <= max is needed", min,
                max);
  }
  if (low_use <= 0 || low_use >= 1)
    return fail(Code::kInvalidArgument, "instances: low_use is {}; it must lie between 0 and 1", low_use);
  if (add_after <= Duration::zero() || remove_after <= Duration::zero() || cooldown < Duration::zero() ||
      target_queue_time < Duration::zero() || batching_window < Duration::zero()) {
    return fail(Code::kInvalidArgument,
                "instances: add_after and remove_after must be above 0, cooldown and target_queue_time not "
                "below");
  }
  return {};
}

InstanceController::InstanceController(const InstancePolicy& policy)
    : policy_(policy), wanted_(policy.min), patience_(policy.remove_after) {
  if (policy.target_queue_time > Duration::zero()) target_ = policy.target_queue_time;
}

std::size_t InstanceController::observe(const InstanceSample& sample, Time now) {
  const Duration passed = now - std::exchange(last_, now).value_or(now);
  if (policy_.target_queue_time == Duration::zero() && sample.run_time)
    target_ = policy_.batching_window + kRunsOfTarget * *sample.run_time;
  if (settled_ && now < *settled_) return wanted_;
  note_queue(sample, now);
  note_use(sample.busy, passed);
  if (is_short(sample, now)) {
    add(now);
  } else if (is_low()) {
    remove(now);
  }
  return wanted_;
}

void InstanceController::note_queue(const InstanceSample& sample, Time now) {
  if (sample.waiting > 0 && !sample.queue_time) return;  // all are busy with longer runs: no news
  if (sample.waiting > 0 && target_ && sample.queue_time > *target_) {
    const bool stood = standing_since_ && sample.waiting > most_ / 2;
    if (!stood) standing_since_ = now;
    most_ = stood ? std::max(most_, sample.waiting) : sample.waiting;
  } else {
    standing_since_.reset();
    step_ = 1;
  }
}

void InstanceController::note_use(double busy, Duration passed) {
  if (standing_since_) {
    watched_ = {};
    used_ = {};
  } else {
    watched_ += passed;
    used_ += busy * passed;
  }
}

bool InstanceController::is_short(const InstanceSample& sample, Time now) const {
  return standing_since_ && now - *standing_since_ >= policy_.add_after && wanted_ < policy_.max &&
         sample.instances >= wanted_;
}

/// Judges a whole period; the next one begins with a clean slate.
bool InstanceController::is_low() {
  if (watched_ < patience_) return false;
  const double busy = used_ / std::exchange(watched_, {});
  used_ = {};
  return wanted_ > policy_.min && busy < policy_.low_use * static_cast<double>(wanted_ - 1);
}

void InstanceController::add(Time now) {
  if (removed_) {
    const bool was_premature = now - *removed_ < kRegret * policy_.remove_after;
    patience_ =
        was_premature ? std::min(2 * patience_, kMostPatience * policy_.remove_after) : policy_.remove_after;
    removed_.reset();
  }
  change(wanted_ + std::min(step_, policy_.max - wanted_), now);
  step_ *= 2;
}

void InstanceController::remove(Time now) {
  if (std::exchange(removed_, now)) patience_ = policy_.remove_after;  // the one before was right
  change(wanted_ - 1, now);
}

void InstanceController::change(std::size_t wanted, Time now) {
  wanted_ = wanted;
  settled_ = now + policy_.cooldown;
  standing_since_.reset();
  watched_ = {};
  used_ = {};
}

}  // namespace kefu::runtime
