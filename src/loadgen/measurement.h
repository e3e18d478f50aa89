#pragma once
// What a run measured.

#include <cstdint>
#include <map>
#include <vector>

#include "loadgen/histogram.h"
#include "loadgen/outcome.h"
#include "loadgen/plan.h"

namespace kefu::loadgen {

/// What happened in a second of the measured time; the last may be shorter.
struct Second {
  double length_s = 1;
  std::uint64_t answers = 0;  // that came in it and were successes
  std::uint64_t p99_us = 0;   // latency of what ended in it
};

/// Of the requests meant to be sent in the measured time, which is that after the warm-up. Histograms are in
/// microseconds. Failures that were answered are in none of them: a refusal is no fast answer.
struct Measurement {
  double duration_s = 0;
  std::uint64_t requests = 0;
  std::map<Outcome, std::uint64_t> outcomes;
  Histogram latency;         // from when it was meant to be sent to its end; of successes and those given up
  Histogram service;         // of the same that were sent, from when they were
  Histogram lateness;        // of an open loop: how late they were sent although a connection was free
  std::uint64_t waited = 0;  // requests that found no free connection when they were meant to be sent
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::vector<Second> seconds;
  double busy_share = 0;  // of the run during which the generator's thread computed

  std::uint64_t successes() const;
  double error_share() const;    // 0 if there were no requests
  double intended_rate() const;  // requests a second, as the arrivals fell
  double achieved_rate() const;  // successes a second, by when the answers came
};

}  // namespace kefu::loadgen
