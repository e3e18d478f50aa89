#include "serve/v2_model_json.h"

namespace kefu::serve {
namespace {

Json tensors(const std::vector<oip::TensorMetadata>& all) {
  Json list = Json::array();
  for (const oip::TensorMetadata& tensor : all) {
    list.push_back(
        {{"name", tensor.name}, {"datatype", oip::wire_name(tensor.datatype)}, {"shape", tensor.shape}});
  }
  return list;
}

Json total(const runtime::Total& total) {
  return {{"count", total.count}, {"ns", total.ns}};
}

Json total(const metrics::HistogramSnapshot& durations) {
  return total(runtime::total_of(durations));
}

}  // namespace

Json model_metadata_json(const oip::ModelMetadata& model) {
  return {{"name", model.name},
          {"versions", model.versions},
          {"platform", model.platform},
          {"inputs", tensors(model.inputs)},
          {"outputs", tensors(model.outputs)}};
}

Json model_statistics_json(const hosting::ServedModel& model) {
  const runtime::StatisticsSnapshot all = model.statistics();
  Json batches = Json::array();
  for (const auto& [rows, batch] : all.batches) {
    batches.push_back({{"batch_size", rows},
                       {"compute_input", total(batch.compute_input)},
                       {"compute_infer", total(batch.compute_infer)},
                       {"compute_output", total(batch.compute_output)}});
  }
  return {{"name", model.description().name()},
          {"version", model.description().version()},
          {"last_inference", all.last_inference_ms},
          {"inference_count", all.inference_count},
          {"execution_count", all.execution_count},
          {"inference_stats",
           {{"success", total(all.success)},
            {"fail", total(all.fail)},
            {"queue", total(all.queue)},
            {"compute_input", total(all.compute_input)},
            {"compute_infer", total(all.compute_infer)},
            {"compute_output", total(all.compute_output)},
            {"cache_hit", total(all.cache_hit)},
            {"cache_miss", total(runtime::Total{all.cache.misses, 0})}}},
          {"response_stats", Json::object()},
          {"batch_stats", std::move(batches)},
          {"memory_usage", Json::array()}};
}

}  // namespace kefu::serve
