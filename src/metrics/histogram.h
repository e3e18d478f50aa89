#pragma once
// How often a quantity fell into each of a row of buckets.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace kefu::metrics {

/// Inclusive upper bounds of buckets, ascending, in the unit of what is observed; a last one without bound
/// follows.
using Bounds = std::vector<std::uint64_t>;

/// 50 µs × 1.5ⁿ, n = 0…29, in nanoseconds: from 50 µs to 6.4 s.
const Bounds& duration_bounds();

/// 1, 2, 4, … 8192: of rows and tokens.
const Bounds& size_bounds();

struct HistogramSnapshot {
  std::vector<std::uint64_t> counts;  // of each bucket, the one without bound last
  std::uint64_t sum = 0;

  std::uint64_t count() const;
};

/// Thread-safe; observing and looking take no lock.
class Histogram {
 public:
  /// `bounds` outlive it.
  explicit Histogram(const Bounds& bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(std::uint64_t value);
  /// In nanoseconds; a negative duration counts as none.
  void observe(std::chrono::nanoseconds duration);

  HistogramSnapshot snapshot() const;
  const Bounds& bounds() const { return bounds_; }

 private:
  const Bounds& bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<std::uint64_t> sum_ = 0;
};

}  // namespace kefu::metrics
