#pragma once
// What a version has answered, for those who watch: metrics, and whoever judges a release.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "hosting/entry.h"
#include "metrics/histogram.h"
#include "runtime/moments.h"

namespace kefu::hosting {

/// 50 µs × 1.1ⁿ up to 10 s, in nanoseconds: fine enough to see a reply become 10 % slower.
const metrics::Bounds& latency_bounds();

/// How an unheard answer compares with the one that was given.
enum class Shadowed { kAgreed, kDiffered, kFailed };
inline constexpr std::size_t kShadowed = 3;

/// As of one moment; counted since the version was loaded.
struct RecordSnapshot {
  struct ByEntry {
    metrics::HistogramSnapshot request;      // ns from a request's last byte to its reply, whatever that was
    metrics::HistogramSnapshot postprocess;  // ns of it after the results were there
  };

  std::array<ByEntry, kEntries.size()> entries;
  std::uint64_t replies = 0;           // that were the model's: neither refused before nor the caller's fault
  std::uint64_t errors = 0;            // those of them that failed
  metrics::HistogramSnapshot latency;  // ns, of those that did not fail
  std::vector<std::uint64_t> labels;   // texts by intent; out of scope last
  std::uint64_t truncated = 0;         // texts of which not all was read
  std::array<std::uint64_t, kShadowed> shadowed{};  // texts, or answers of a model that reads none
};

/// Thread-safe; takes no lock.
class Record {
 public:
  /// `labels`: intents of the model.
  explicit Record(std::size_t labels) : labels_(labels + 1) {}

  /// A request's end. `failure`: none if it was answered; `is_judged`: whether it counts in a release.
  void answered(Entry entry, std::optional<Code> failure, const runtime::Moments& moments, runtime::Time now,
                bool is_judged);

  /// A text's intent: its number, or none for out of scope.
  void predicted(std::optional<std::size_t> label);
  void truncated() { ++truncated_; }
  void shadowed(Shadowed how, std::uint64_t times) { shadowed_[static_cast<std::size_t>(how)] += times; }

  RecordSnapshot snapshot() const;

 private:
  struct ByEntry {
    metrics::Histogram request{metrics::duration_bounds()};
    metrics::Histogram postprocess{metrics::duration_bounds()};
  };

  std::array<ByEntry, kEntries.size()> entries_;
  std::atomic<std::uint64_t> errors_ = 0;
  metrics::Histogram latency_{latency_bounds()};
  std::vector<std::atomic<std::uint64_t>> labels_;
  std::atomic<std::uint64_t> truncated_ = 0;
  std::array<std::atomic<std::uint64_t>, kShadowed> shadowed_{};
};

}  // namespace kefu::hosting
