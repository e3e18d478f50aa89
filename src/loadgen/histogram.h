#pragma once
// Counts of values in log-linear buckets, after the published description of HdrHistogram
// (https://hdrhistogram.org): every value from 0 to kMost is kept to 3 significant digits, in fixed memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kefu::loadgen {

/// A value: copies are independent. Of latencies it holds whole microseconds.
class Histogram {
 public:
  /// An hour in microseconds. Larger values count as this one.
  static constexpr std::uint64_t kMost = 3'600'000'000;

  Histogram();

  /// Never allocates.
  void record(std::uint64_t value);

  /// Adds the other's values, as if they had been recorded here.
  void merge(const Histogram& other);

  void clear();

  std::uint64_t count() const { return count_; }

  /// The least value that at least `share` (0 to 1) of the recorded ones do not exceed, at most 0.1 % too
  /// high; 0 if nothing was recorded.
  std::uint64_t quantile(double share) const;

  /// Exact; 0 if nothing was recorded.
  std::uint64_t max() const { return max_; }
  double mean() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace kefu::loadgen
