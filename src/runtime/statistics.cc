#include "runtime/statistics.h"

#include <algorithm>

namespace kefu::runtime {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;  // counters order nothing else

}  // namespace

FailureReason failure_reason(Code code) {
  switch (code) {
    case Code::kResourceExhausted:
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
      return FailureReason::kRejected;
    case Code::kCancelled:
      return FailureReason::kCanceled;
    case Code::kInternal:
      return FailureReason::kBackend;
    default:
      return FailureReason::kOther;
  }
}

void Statistics::AtomicTotal::add(Duration duration) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  count_.fetch_add(1, kRelaxed);
  ns_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)), kRelaxed);
}

Total Statistics::AtomicTotal::get() const {
  return {count_.load(kRelaxed), ns_.load(kRelaxed)};
}

void Statistics::record_execution(const Execution& execution) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  last_inference_ms_.store(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()),
      kRelaxed);
  inference_count_.fetch_add(execution.rows, kRelaxed);
  execution_count_.fetch_add(1, kRelaxed);
  Batches& batches = batches_[std::min(execution.rows, batches_.size() - 1)];
  batches.compute_input.add(execution.copied_in - execution.began);
  batches.compute_infer.add(execution.computed - execution.copied_in);
  batches.compute_output.add(execution.copied_out - execution.computed);
}

void Statistics::record_success(const Moments& moments) {
  success_.add(moments.copied_out - moments.received);
  queue_.add(moments.taken - moments.queued);
  compute_input_.add(moments.copied_in - moments.taken);
  compute_infer_.add(moments.computed - moments.copied_in);
  compute_output_.add(moments.copied_out - moments.computed);
}

void Statistics::record_failure(Code code, Duration duration) {
  fail_.add(duration);
  failures_[static_cast<std::size_t>(failure_reason(code))].fetch_add(1, kRelaxed);
}

StatisticsSnapshot Statistics::snapshot() const {
  StatisticsSnapshot all;
  all.last_inference_ms = last_inference_ms_.load(kRelaxed);
  all.inference_count = inference_count_.load(kRelaxed);
  all.execution_count = execution_count_.load(kRelaxed);
  all.success = success_.get();
  all.fail = fail_.get();
  for (std::size_t i = 0; i < kFailureReasons; ++i) all.failures[i] = failures_[i].load(kRelaxed);
  all.queue = queue_.get();
  all.compute_input = compute_input_.get();
  all.compute_infer = compute_infer_.get();
  all.compute_output = compute_output_.get();
  for (std::size_t rows = 0; rows < batches_.size(); ++rows) {
    const Batches& batches = batches_[rows];
    if (batches.compute_infer.get().count == 0) continue;
    all.batches[rows] = {batches.compute_input.get(), batches.compute_infer.get(),
                         batches.compute_output.get()};
  }
  return all;
}

}  // namespace kefu::runtime
