#include "loadgen/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kefu::loadgen {
namespace {

/// Values below 2048 have a bucket each; from there on every doubling is cut into 1024 equal buckets, so that
/// none is wider than a 1024th of its values.
constexpr int kHalfBits = 10;
constexpr std::uint64_t kHalf = 1U << kHalfBits;

/// How often the value must be halved to fall below 2048.
constexpr int halvings(std::uint64_t value) {
  return std::max(0, static_cast<int>(std::bit_width(value)) - kHalfBits - 1);
}

constexpr std::size_t bucket_of(std::uint64_t value) {
  const int halved = halvings(value);
  return static_cast<std::size_t>(halved) * kHalf + static_cast<std::size_t>(value >> halved);
}

/// The largest value of a bucket.
constexpr std::uint64_t end_of(std::size_t bucket) {
  const std::uint64_t halved = bucket < 2 * kHalf ? 0 : bucket / kHalf - 1;
  return ((bucket - halved * kHalf + 1) << halved) - 1;
}

constexpr std::size_t kBuckets = bucket_of(Histogram::kMost) + 1;

}  // namespace

Histogram::Histogram() : counts_(kBuckets) {}

void Histogram::record(std::uint64_t value) {
  value = std::min(value, kMost);
  ++counts_[bucket_of(value)];
  ++count_;
  sum_ += value;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

void Histogram::clear() {
  std::ranges::fill(counts_, 0);
  count_ = sum_ = max_ = 0;
}

std::uint64_t Histogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen > 0 && seen >= wanted) return std::min(end_of(bucket), max_);
  }
  return max_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

}  // namespace kefu::loadgen
