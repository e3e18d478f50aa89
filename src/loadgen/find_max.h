#pragma once
// How much a server sustains within a bound of latency.

#include <functional>
#include <vector>

#include "loadgen/measurement.h"
#include "loadgen/target.h"

namespace kefu::loadgen {

/// What a rate must meet to count as sustained.
struct Goal {
  double p99_ms = 0;             // of latency, at most
  double error_share = 0.001;    // at most
  double achieved_share = 0.99;  // of the intended rate, at least
};

bool meets(const Measurement& measurement, const Goal& goal);

struct Probe {
  double rate = 0;  // as planned
  double achieved_rate = 0;
  double p99_ms = 0;
  double error_share = 0;
  bool passed = false;
};

struct MaxRate {
  Goal goal;
  double rate = 0;
  std::vector<Probe> probes;  // in their order; the last one confirmed the rate
  Measurement confirmed;      // by that
};

/// Probes rates, `plan.rate` first, each for as long as the plan says, and calls `tell` after each. Blocks.
/// kFailedPrecondition if no rate meets the goal.
Result<MaxRate> find_max(Plan plan, const Goal& goal, Target& target,
                         const std::function<void(const Probe&)>& tell);

}  // namespace kefu::loadgen
