#pragma once
// What a model has done, counted as Triton's statistics extension counts it.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "runtime/batch_policy.h"

namespace kefu::runtime {

/// Moments of a request; phases are their differences. Those of a request of many rows are its first run's,
/// but for the last two.
struct Moments {
  Time received;    // its last byte came
  Time queued;      // it began to wait
  Time taken;       // an instance took it
  Time copied_in;   // the engine could begin
  Time computed;    // the engine had run
  Time copied_out;  // the results were in the tasks
};

/// When the parts of a run ended, and how many rows it had.
struct Execution {
  std::size_t rows = 0;
  Time began{};
  Time copied_in{};
  Time computed{};
  Time copied_out{};
};

/// A number of things and the time they took together.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};

/// Why a request failed; the labels of Triton's nv_inference_request_failure.
enum class FailureReason { kRejected, kCanceled, kBackend, kOther };
inline constexpr std::size_t kFailureReasons = 4;

FailureReason failure_reason(Code code);

/// As of one moment.
struct StatisticsSnapshot {
  struct Batches {
    Total compute_input;
    Total compute_infer;
    Total compute_output;
  };

  std::uint64_t last_inference_ms = 0;  // since 1970; 0: none
  std::uint64_t inference_count = 0;    // rows
  std::uint64_t execution_count = 0;    // runs of the engine
  Total success;                        // requests, from their last byte to their result
  Total fail;
  std::array<std::uint64_t, kFailureReasons> failures{};
  Total queue;  // of requests that succeeded, as the next three
  Total compute_input;
  Total compute_infer;
  Total compute_output;
  std::map<std::size_t, Batches> batches;  // by rows of a run
};

/// Thread-safe; a snapshot takes no lock and stops nobody.
class Statistics {
 public:
  /// `max_rows`: of a run.
  explicit Statistics(std::size_t max_rows) : batches_(max_rows + 1) {}

  void record_execution(const Execution& execution);
  void record_success(const Moments& moments);
  /// `duration`: from the request's last byte.
  void record_failure(Code code, Duration duration);

  StatisticsSnapshot snapshot() const;

 private:
  class AtomicTotal {
   public:
    void add(Duration duration);
    Total get() const;

   private:
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::uint64_t> ns_{0};
  };

  struct Batches {
    AtomicTotal compute_input;
    AtomicTotal compute_infer;
    AtomicTotal compute_output;
  };

  std::atomic<std::uint64_t> last_inference_ms_{0};
  std::atomic<std::uint64_t> inference_count_{0};
  std::atomic<std::uint64_t> execution_count_{0};
  AtomicTotal success_;
  AtomicTotal fail_;
  std::array<std::atomic<std::uint64_t>, kFailureReasons> failures_{};
  AtomicTotal queue_;
  AtomicTotal compute_input_;
  AtomicTotal compute_infer_;
  AtomicTotal compute_output_;
  std::vector<Batches> batches_;
};

}  // namespace kefu::runtime
