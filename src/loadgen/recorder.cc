#include "loadgen/recorder.h"

#include <algorithm>

namespace kefu::loadgen {
namespace {

std::uint64_t to_us(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::round<std::chrono::microseconds>(std::max(duration, Duration::zero())).count());
}

bool is_timed(Outcome outcome) {
  return is_success(outcome) || is_given_up(outcome);
}

}  // namespace

Recorder::Recorder(const Plan& plan)
    : warmup_(plan.warmup), duration_(plan.duration), is_open_(plan.is_open()) {
  measurement_.duration_s = to_seconds(duration_);
}

void Recorder::record(const Sample& sample) {
  record_end(sample);
  if (sample.intended < warmup_ || sample.intended >= warmup_ + duration_) return;
  ++measurement_.requests;
  ++measurement_.outcomes[sample.outcome];
  measurement_.sent_bytes += sample.sent_bytes;
  measurement_.received_bytes += sample.received_bytes;
  if (is_timed(sample.outcome)) measurement_.latency.record(to_us(sample.ended - sample.intended));
  if (is_open_ && !sample.found_free) ++measurement_.waited;
  if (sample.outcome.kind == Outcome::Kind::kUnsent) return;
  if (is_timed(sample.outcome)) measurement_.service.record(to_us(sample.ended - sample.sent));
  if (is_open_ && sample.found_free) measurement_.lateness.record(to_us(sample.sent - sample.intended));
}

/// The course of time, to which the answers belong that came in it: also those to requests of the warm-up,
/// but not those that came after the end.
void Recorder::record_end(const Sample& sample) {
  const Duration at = sample.ended - warmup_;
  if (at < Duration::zero() || at >= duration_) return;
  while (at >= std::chrono::seconds(measurement_.seconds.size() + 1)) finish_second();
  if (is_success(sample.outcome)) ++second_.answers;
  if (is_timed(sample.outcome)) in_second_.record(to_us(sample.ended - sample.intended));
}

void Recorder::finish_second() {
  second_.length_s =
      std::min(1.0, measurement_.duration_s - static_cast<double>(measurement_.seconds.size()));
  second_.p99_us = in_second_.quantile(0.99);
  measurement_.seconds.push_back(second_);
  second_ = {};
  in_second_.clear();
}

Measurement Recorder::finish() && {
  while (std::chrono::seconds(measurement_.seconds.size()) < duration_) finish_second();
  return std::move(measurement_);
}

}  // namespace kefu::loadgen
