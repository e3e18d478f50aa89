#pragma once
// What a response cache has done.

#include <cstdint>

namespace kefu::runtime {

/// Each look-up counts in one of the first three.
struct CacheStatistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;     // the caller was to lead at once
  std::uint64_t coalesced = 0;  // it followed, whatever became of it
  std::uint64_t evictions = 0;  // values that left for others before their time
  std::uint64_t bytes = 0;      // kept
};

}  // namespace kefu::runtime
