#pragma once
// What a batcher may do. Names follow Triton's ModelConfig where it has one.

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "runtime/moments.h"

namespace kefu::runtime {

/// What becomes of a request that has waited for QueuePolicy::timeout.
enum class TimeoutAction {
  kReject,  // it is answered with an error
  kDelay,   // it waits on, behind all requests of its level that have not timed out
};

/// The queue of one priority level.
struct QueuePolicy {
  std::size_t max_requests = 4096;
  Duration timeout{0};        // 0: none
  bool may_override = false;  // whether a request's own timeout counts
  TimeoutAction action = TimeoutAction::kReject;
};

struct BatchPolicy {
  std::size_t max_rows = 32;
  std::size_t max_tokens = 16384;           // of a batch, padding included
  std::vector<std::size_t> preferred_rows;  // the largest that can be had goes at once
  Duration window{0};                       // longest wait for company; 0: none while an instance is idle
  std::vector<std::size_t> buckets;  // lengths up to which rows share a bucket, ascending; see cpu_buckets()
  bool pads_to_bucket = false;       // an engine of fixed lengths; else a batch is as long as its longest row
  std::size_t free_padding = 0;      // tokens of padding a row of a shorter bucket may bring at once …
  Duration promote{0};               // … and after this wait as many as it takes
  std::vector<QueuePolicy> levels{1};  // level 1, the highest, first
  std::size_t default_level = 1;
  Duration ageing =
      std::chrono::milliseconds(100);  // a request counts as one level higher each time it has waited so

  /// kInvalidArgument, naming setting and remedy, if the values contradict each other.
  Result<void> check() const;

  /// The number of the bucket of a row, or buckets.size() if it is longer than all.
  std::size_t bucket_of(std::size_t tokens) const;

  /// How long a row of a batch is with padding; `longest`: tokens of the longest.
  std::size_t padded(std::size_t longest) const {
    return pads_to_bucket ? buckets[bucket_of(longest)] : longest;
  }
};

/// Lengths for engines that pad to the longest row: steps of 8 tokens to 64, of 16 to 128, of 32 to 256, of
/// 64 on; the last is `longest`.
std::vector<std::size_t> cpu_buckets(std::size_t longest);

}  // namespace kefu::runtime
