#pragma once
// Drives a target as a plan says.

#include "loadgen/measurement.h"
#include "loadgen/target.h"

namespace kefu::loadgen {

/// Blocks until the load has been sent and answered, or the plan's timeout has passed after its end. Requests
/// are sent in an order that the plan's seed determines, each as often as the others.
///
/// In an open loop a request that finds no free connection waits for one, and its latency counts from when it
/// was meant to be sent: a server that stalls delays all who would have come meanwhile, not only those whom
/// it holds (G. Tene's "coordinated omission").
Result<Measurement> run(const Plan& plan, Target& target);

}  // namespace kefu::loadgen
