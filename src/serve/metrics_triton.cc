// Triton's families; see metrics_families.h. Names and meanings: triton-inference-server/server,
// docs/user_guide/metrics.md.

#include <functional>

#include "serve/metrics_families.h"

namespace kefu::serve {
namespace {

using metrics::Labels;

constexpr std::array<std::string_view, runtime::kFailureReasons> kReasons{"REJECTED", "CANCELED", "BACKEND",
                                                                          "OTHER"};

Labels triton_labels(const WatchedModel& model) {
  return {{"model", model.status.name}, {"version", std::to_string(model.status.version)}};
}

std::uint64_t microseconds(std::uint64_t ns) {
  return ns / 1000;
}

struct Family {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::uint64_t (*value)(const WatchedModel& model);
};

constexpr Family kFamilies[] = {
    {"nv_inference_request_success", "counter", "Number of successful inference requests, all batch sizes",
     [](const WatchedModel& model) { return model.statistics.success.count(); }},
    {"nv_inference_count", "counter", "Number of inferences performed (rows)",
     [](const WatchedModel& model) { return model.statistics.inference_count; }},
    {"nv_inference_exec_count", "counter", "Number of model executions performed",
     [](const WatchedModel& model) { return model.statistics.execution_count; }},
    {"nv_inference_request_duration_us", "counter", "Cumulative inference request duration in microseconds",
     [](const WatchedModel& model) {
       return microseconds(model.statistics.success.sum + model.statistics.fail.ns);
     }},
    {"nv_inference_queue_duration_us", "counter", "Cumulative queuing duration in microseconds",
     [](const WatchedModel& model) { return microseconds(model.statistics.queue.sum); }},
    {"nv_inference_compute_input_duration_us", "counter", "Cumulative compute input duration in microseconds",
     [](const WatchedModel& model) { return microseconds(model.statistics.compute_input.sum); }},
    {"nv_inference_compute_infer_duration_us", "counter", "Cumulative compute duration in microseconds",
     [](const WatchedModel& model) { return microseconds(model.statistics.compute_infer.sum); }},
    {"nv_inference_compute_output_duration_us", "counter",
     "Cumulative compute output duration in microseconds",
     [](const WatchedModel& model) { return microseconds(model.statistics.compute_output.sum); }},
    {"nv_cache_num_hits_per_model", "counter", "Number of cache hits per model",
     [](const WatchedModel& model) { return model.statistics.cache_hit.count; }},
    {"nv_cache_num_misses_per_model", "counter", "Number of cache misses per model",
     [](const WatchedModel& model) { return model.statistics.cache.misses; }},
    {"nv_cache_hit_duration_per_model", "counter", "Total cache hit duration per model, in microseconds",
     [](const WatchedModel& model) { return microseconds(model.statistics.cache_hit.ns); }},
    {"nv_inference_pending_request_count", "gauge", "Number of requests accepted and not yet executing",
     [](const WatchedModel& model) { return model.statistics.waiting_requests; }},
};

}  // namespace

void write_triton_families(metrics::Exposition& out, const std::vector<WatchedModel>& models) {
  for (const Family& family : kFamilies) {
    out.family(family.name, family.type, family.help);
    for (const WatchedModel& model : models) out.sample(triton_labels(model), family.value(model));
  }
  out.family("nv_inference_request_failure", "counter", "Number of failed inference requests by reason");
  for (const WatchedModel& model : models) {
    for (std::size_t reason = 0; reason < runtime::kFailureReasons; ++reason) {
      Labels labels = triton_labels(model);
      labels.emplace_back("reason", kReasons[reason]);
      out.sample(labels, model.statistics.failures[reason]);
    }
  }
  out.family("nv_inference_first_response_histogram_ms", "histogram",
             "Duration from request to first response in milliseconds");
  for (const WatchedModel& model : models)
    out.sample(triton_labels(model), runtime::response_bounds(), model.statistics.success, 1e-6);
  out.family("nv_model_load_duration_secs", "gauge", "Model load time in seconds");
  for (const WatchedModel& model : models)
    out.sample(triton_labels(model), std::chrono::duration<double>(model.status.load_time).count());
}

}  // namespace kefu::serve
