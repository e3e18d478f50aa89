#pragma once
// Turns what happened to each request into a Measurement. A value: no clock of its own.

#include "loadgen/measurement.h"

namespace kefu::loadgen {

/// A request that has ended. Times are offsets from the start of the run.
struct Sample {
  Duration intended{};
  Duration sent{};  // of no meaning if it is Outcome::Kind::kUnsent
  Duration ended{};
  bool found_free = false;  // a connection was free when it was meant to be sent
  Outcome outcome;
  std::size_t sent_bytes = 0;
  std::size_t received_bytes = 0;
};

class Recorder {
 public:
  explicit Recorder(const Plan& plan);

  /// Samples come in the order of their ends; a few that are a little late count for the second at hand.
  void record(const Sample& sample);

  Measurement finish() &&;

 private:
  void record_end(const Sample& sample);
  void finish_second();

  Duration warmup_;
  Duration duration_;
  bool is_open_;
  Measurement measurement_;
  Second second_;        // at hand
  Histogram in_second_;  // latencies of what ended in it
};

}  // namespace kefu::loadgen
