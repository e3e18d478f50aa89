#pragma once
// How much load, for how long.

#include "loadgen/schedule.h"

namespace kefu::loadgen {

/// Calls that a gRPC connection carries at once. RFC 9113 §6.5.2 asks servers to allow at least 100; beyond
/// their limit gRPC would queue calls unseen.
inline constexpr std::size_t kStreams = 64;

struct Plan {
  double rate = 0;  // requests a second, sent whether or not the answers come; 0: a closed loop
  Arrivals arrivals = Arrivals::kConstant;
  std::size_t connections = 64;  // requests under way at once, at most; in a closed loop always as many
  Duration warmup = std::chrono::seconds(1);  // at the start, not measured
  Duration duration = std::chrono::seconds(10);
  Duration timeout = std::chrono::seconds(10);  // of a request, from when it was sent
  std::uint64_t seed = 1;                       // of the arrivals and of the order of the texts

  bool is_open() const { return rate > 0; }
};

}  // namespace kefu::loadgen
