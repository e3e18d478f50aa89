#include "metrics/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kefu::metrics {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;  // counters order nothing else

Bounds powers(double first, double factor, std::size_t count) {
  Bounds bounds;
  for (double bound = first; bounds.size() < count; bound *= factor)
    bounds.push_back(static_cast<std::uint64_t>(std::llround(bound)));
  return bounds;
}

}  // namespace

const Bounds& duration_bounds() {
  static const Bounds bounds = powers(50'000, 1.5, 30);
  return bounds;
}

const Bounds& size_bounds() {
  static const Bounds bounds = powers(1, 2, 14);
  return bounds;
}

std::uint64_t HistogramSnapshot::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void Histogram::observe(std::uint64_t value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, kRelaxed);
  sum_.fetch_add(value, kRelaxed);
}

void Histogram::observe(std::chrono::nanoseconds duration) {
  observe(static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)));
}

HistogramSnapshot Histogram::snapshot() const {
  HistogramSnapshot all;
  for (const auto& count : counts_) all.counts.push_back(count.load(kRelaxed));
  all.sum = sum_.load(kRelaxed);
  return all;
}

}  // namespace kefu::metrics
