#pragma once
// The families of /metrics. Each function writes its families whole, with a sample for every version in
// service even before its first request.

#include <vector>

#include "hosting/entrance.h"
#include "metrics/exposition.h"
#include "release/releases.h"

namespace kefu::serve {

/// A version in service and what it has done, as of one moment.
struct WatchedModel {
  hosting::VersionStatus status;
  runtime::StatisticsSnapshot statistics;
  hosting::RecordSnapshot record;
};

/// The names of Triton, to the letter, with its labels `model` and `version`; durations are microseconds.
void write_triton_families(metrics::Exposition& out, const std::vector<WatchedModel>& models);

/// Our own, with `model`, `version`, `label`; where requests come in also `api` and `interface`.
void write_model_families(metrics::Exposition& out, const std::vector<WatchedModel>& models);

/// The state of every version that has been asked for.
void write_state_families(metrics::Exposition& out, const std::vector<hosting::VersionStatus>& versions);

/// Releases under way or ended, the last of each model.
void write_release_families(metrics::Exposition& out, const release::Releases& releases);

/// Admission and outcomes.
void write_entrance_families(metrics::Exposition& out, const hosting::EntranceSnapshot& entrance);

/// How busy the machine's processors are, from /proc/stat. One thread at a time.
class CpuMeter {
 public:
  CpuMeter() : last_(read()) {}

  /// Share of their time they were busy since the last call, or since the meter was made; 0 to 1.
  double busy_share();

 private:
  struct Jiffies {
    std::uint64_t busy = 0;
    std::uint64_t all = 0;
  };
  static Jiffies read();

  Jiffies last_;
  double share_ = 0;
};

/// The machine's processors and memory, and this process's memory, from /proc.
void write_process_families(metrics::Exposition& out, CpuMeter& cpu);

}  // namespace kefu::serve
