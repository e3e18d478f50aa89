#pragma once
// What the instances of a model have been doing lately, as a controller wants to know it.

#include <optional>

#include "runtime/statistics.h"

namespace kefu::runtime {

/// Since the sample before, unless it says otherwise.
struct InstanceSample {
  std::optional<Duration>
      queue_time{};  // mean or a high quantile of requests that were taken; none: no request
  std::optional<Duration> run_time{};  // mean of runs; none: no run
  double busy = 0;                     // mean number of instances that ran
  std::size_t waiting = 0;             // requests, at this moment
  std::size_t instances = 0;           // that serve at this moment
};

/// The first three from two snapshots, `elapsed` apart. Runs count when they end: with longer runs than
/// `elapsed` single samples are 0 or above the number of instances, and only their mean is right.
InstanceSample sample_between(const StatisticsSnapshot& earlier, const StatisticsSnapshot& later,
                              Duration elapsed);

}  // namespace kefu::runtime
