#pragma once
// What a model has done: counted as Triton's statistics extension counts it, and in histograms.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "metrics/histogram.h"
#include "runtime/cache_statistics.h"
#include "runtime/execution.h"

namespace kefu::runtime {

/// A number of things and the time they took together.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};

/// Of a histogram of nanoseconds.
Total total_of(const metrics::HistogramSnapshot& durations);

/// Why a request failed; the labels of Triton's nv_inference_request_failure.
enum class FailureReason { kRejected, kCanceled, kBackend, kOther };
inline constexpr std::size_t kFailureReasons = 4;

FailureReason failure_reason(Code code);

/// How far a request had come when it was cancelled or its time ran out.
struct ByStage {
  std::uint64_t queued = 0;
  std::uint64_t executing = 0;
};

/// As of one moment. Histograms of durations are in nanoseconds, and of requests that succeeded.
struct StatisticsSnapshot {
  struct Batches {
    Total compute_input;
    Total compute_infer;
    Total compute_output;
  };

  std::uint64_t last_inference_ms = 0;  // since 1970; 0: none
  std::uint64_t inference_count = 0;    // rows
  std::uint64_t execution_count = 0;    // runs of the engine
  metrics::HistogramSnapshot success;   // requests, from their last byte to their result; coarse
  Total fail;
  std::array<std::uint64_t, kFailureReasons> failures{};
  ByStage cancelled;
  ByStage expired;
  metrics::HistogramSnapshot tokenize;  // from their last byte to the queue
  metrics::HistogramSnapshot queue;
  metrics::HistogramSnapshot compute_input;
  metrics::HistogramSnapshot compute_infer;
  metrics::HistogramSnapshot compute_output;
  metrics::HistogramSnapshot input_tokens;  // of a request
  metrics::HistogramSnapshot batch_rows;    // of a run
  metrics::HistogramSnapshot batch_tokens;
  std::uint64_t padding_tokens = 0;
  std::map<std::size_t, Batches> batches;  // by rows of a run
  std::uint64_t waiting_requests = 0;      // at this moment, as the next two
  std::uint64_t waiting_tokens = 0;
  std::uint64_t busy_instances = 0;
  std::uint64_t instances = 0;
  Total cache_hit;        // requests answered by a kept reply; in `success`, not in the counts above
  CacheStatistics cache;  // all 0 without one
};

/// Bounds of StatisticsSnapshot::success in nanoseconds: those of Triton's first-response histogram.
const metrics::Bounds& response_bounds();

/// Thread-safe; a snapshot takes no lock and stops nobody.
class Statistics {
 public:
  /// `max_rows`: of a run.
  explicit Statistics(std::size_t max_rows) : batches_(max_rows + 1) {}

  void record_request(std::size_t tokens) { input_tokens_.observe(tokens); }
  void record_execution(const Execution& execution);
  void record_success(const Moments& moments);
  /// `now`: when it failed.
  void record_failure(Code code, const Moments& moments, Time now);
  /// Besides record_failure(): its time ran out.
  void record_expiry(const Moments& moments) { expired_.add(moments); }

  /// What waits, as of this moment; the caller sees to the order of its calls.
  void show_waiting(std::size_t requests, std::size_t tokens);

  void show_instances(std::size_t instances) { instances_.store(instances, std::memory_order_relaxed); }

  /// An instance is busy as long as this lives.
  class Busy {
   public:
    explicit Busy(Statistics& statistics) : statistics_(statistics) { ++statistics_.busy_instances_; }
    ~Busy() { --statistics_.busy_instances_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Statistics& statistics_;
  };

  StatisticsSnapshot snapshot() const;

 private:
  using Counter = std::atomic<std::uint64_t>;

  class AtomicTotal {
   public:
    void add(Duration duration);
    Total get() const;

   private:
    Counter count_{0};
    Counter ns_{0};
  };

  struct Batches {
    AtomicTotal compute_input;
    AtomicTotal compute_infer;
    AtomicTotal compute_output;
  };

  struct AtomicByStage {
    Counter queued{0};
    Counter executing{0};

    void add(const Moments& moments) { ++(moments.taken == Time() ? queued : executing); }
    ByStage get() const { return {queued, executing}; }
  };

  Counter last_inference_ms_{0};
  Counter inference_count_{0};
  Counter execution_count_{0};
  metrics::Histogram success_{response_bounds()};
  AtomicTotal fail_;
  std::array<Counter, kFailureReasons> failures_{};
  AtomicByStage cancelled_;
  AtomicByStage expired_;
  metrics::Histogram tokenize_{metrics::duration_bounds()};
  metrics::Histogram queue_{metrics::duration_bounds()};
  metrics::Histogram compute_input_{metrics::duration_bounds()};
  metrics::Histogram compute_infer_{metrics::duration_bounds()};
  metrics::Histogram compute_output_{metrics::duration_bounds()};
  metrics::Histogram input_tokens_{metrics::size_bounds()};
  metrics::Histogram batch_rows_{metrics::size_bounds()};
  metrics::Histogram batch_tokens_{metrics::size_bounds()};
  Counter padding_tokens_{0};
  std::vector<Batches> batches_;
  Counter waiting_requests_{0};
  Counter waiting_tokens_{0};
  Counter busy_instances_{0};
  Counter instances_{0};
};

}  // namespace kefu::runtime
