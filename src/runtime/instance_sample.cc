#include "runtime/instance_sample.h"

namespace kefu::runtime {
namespace {

/// Of all runs, whatever their size.
Total runs_of(const StatisticsSnapshot& snapshot) {
  Total runs;
  for (const auto& [rows, batches] : snapshot.batches) {
    runs.count += batches.compute_infer.count;
    runs.ns += batches.compute_input.ns + batches.compute_infer.ns + batches.compute_output.ns;
  }
  return runs;
}

/// Counters never fall.
Total between(const Total& earlier, const Total& later) {
  return {later.count - earlier.count, later.ns - earlier.ns};
}

std::optional<Duration> mean(const Total& total) {
  if (total.count == 0) return std::nullopt;
  return Duration(static_cast<Duration::rep>(total.ns / total.count));
}

}  // namespace

InstanceSample sample_between(const StatisticsSnapshot& earlier, const StatisticsSnapshot& later,
                              Duration elapsed) {
  const Total runs = between(runs_of(earlier), runs_of(later));
  InstanceSample sample{.queue_time = mean(between(total_of(earlier.queue), total_of(later.queue))),
                        .run_time = mean(runs)};
  if (elapsed > Duration::zero())
    sample.busy = static_cast<double>(runs.ns) / static_cast<double>(elapsed.count());
  return sample;
}

}  // namespace kefu::runtime
