#include "runtime/statistics.h"

#include <algorithm>

namespace kefu::runtime {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;  // counters order nothing else

}  // namespace

Total total_of(const metrics::HistogramSnapshot& durations) {
  return {durations.count(), durations.sum};
}

const metrics::Bounds& response_bounds() {
  static const metrics::Bounds bounds{100'000'000, 500'000'000, 2'000'000'000, 5'000'000'000};
  return bounds;
}

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
  batch_rows_.observe(execution.rows);
  batch_tokens_.observe(execution.tokens);
  padding_tokens_.fetch_add(execution.padding, kRelaxed);
  Batches& batches = batches_[std::min(execution.rows, batches_.size() - 1)];
  batches.compute_input.add(execution.copied_in - execution.began);
  batches.compute_infer.add(execution.computed - execution.copied_in);
  batches.compute_output.add(execution.copied_out - execution.computed);
}

void Statistics::record_success(const Moments& moments) {
  success_.observe(moments.copied_out - moments.received);
  tokenize_.observe(moments.queued - moments.received);
  queue_.observe(moments.taken - moments.queued);
  compute_input_.observe(moments.copied_in - moments.taken);
  compute_infer_.observe(moments.computed - moments.copied_in);
  compute_output_.observe(moments.copied_out - moments.computed);
}

void Statistics::record_failure(Code code, const Moments& moments, Time now) {
  fail_.add(now - moments.received);
  failures_[static_cast<std::size_t>(failure_reason(code))].fetch_add(1, kRelaxed);
  if (code == Code::kCancelled) cancelled_.add(moments);
}

void Statistics::show_waiting(std::size_t requests, std::size_t tokens) {
  waiting_requests_.store(requests, kRelaxed);
  waiting_tokens_.store(tokens, kRelaxed);
}

StatisticsSnapshot Statistics::snapshot() const {
  StatisticsSnapshot all;
  all.last_inference_ms = last_inference_ms_.load(kRelaxed);
  all.inference_count = inference_count_.load(kRelaxed);
  all.execution_count = execution_count_.load(kRelaxed);
  all.success = success_.snapshot();
  all.fail = fail_.get();
  for (std::size_t i = 0; i < kFailureReasons; ++i) all.failures[i] = failures_[i].load(kRelaxed);
  all.cancelled = cancelled_.get();
  all.expired = expired_.get();
  all.tokenize = tokenize_.snapshot();
  all.queue = queue_.snapshot();
  all.compute_input = compute_input_.snapshot();
  all.compute_infer = compute_infer_.snapshot();
  all.compute_output = compute_output_.snapshot();
  all.input_tokens = input_tokens_.snapshot();
  all.batch_rows = batch_rows_.snapshot();
  all.batch_tokens = batch_tokens_.snapshot();
  all.padding_tokens = padding_tokens_.load(kRelaxed);
  for (std::size_t rows = 0; rows < batches_.size(); ++rows) {
    const Batches& batches = batches_[rows];
    if (batches.compute_infer.get().count == 0) continue;
    all.batches[rows] = {batches.compute_input.get(), batches.compute_infer.get(),
                         batches.compute_output.get()};
  }
  all.waiting_requests = waiting_requests_.load(kRelaxed);
  all.waiting_tokens = waiting_tokens_.load(kRelaxed);
  all.busy_instances = busy_instances_.load(kRelaxed);
  all.instances = instances_.load(kRelaxed);
  return all;
}

}  // namespace kefu::runtime
