#include "hosting/model_config.h"

namespace kefu::hosting {
namespace {

std::int64_t in_microseconds(runtime::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

/// Dimensions of a row: without the first one if that is the batch's.
Json tensors(const std::vector<oip::TensorMetadata>& all, bool has_rows, bool is_input) {
  Json list = Json::array();
  for (const oip::TensorMetadata& tensor : all) {
    const std::vector<std::int64_t> dims(tensor.shape.begin() + (has_rows ? 1 : 0), tensor.shape.end());
    Json entry{{"name", tensor.name},
               {"data_type", oip::config_name(tensor.datatype)},
               {"dims", dims},
               {"is_shape_tensor", false}};
    if (is_input) {
      entry["format"] = "FORMAT_NONE";
      entry["allow_ragged_batch"] = false;
      entry["optional"] = tensor.optional;
    } else {
      entry["label_filename"] = "";
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json queue_policy(const runtime::QueuePolicy& policy) {
  return {{"timeout_action", policy.action == runtime::TimeoutAction::kReject ? "REJECT" : "DELAY"},
          {"default_timeout_microseconds", in_microseconds(policy.timeout)},
          {"allow_timeout_override", policy.may_override},
          {"max_queue_size", policy.max_requests}};
}

Json dynamic_batching(const ModelSettings& settings) {
  Json batching{{"preferred_batch_size", settings.preferred_batch_size},
                {"max_queue_delay_microseconds", in_microseconds(settings.max_queue_delay)},
                {"preserve_ordering", false},
                {"priority_levels", settings.levels.size()},
                {"default_priority_level", settings.default_level},
                {"default_queue_policy", queue_policy(settings.levels[settings.default_level - 1])},
                {"priority_queue_policy", Json::object()}};
  for (std::size_t i = 0; i < settings.levels.size(); ++i)
    batching["priority_queue_policy"][std::to_string(i + 1)] = queue_policy(settings.levels[i]);
  return batching;
}

Json version_policy(const VersionPolicy& policy) {
  if (policy.all) return {{"all", Json::object()}};
  if (!policy.specific.empty()) return {{"specific", {{"versions", policy.specific}}}};
  return {{"latest", {{"num_versions", policy.latest}}}};
}

Json parameters(const ModelSettings& settings) {
  const auto ageing = std::chrono::duration_cast<std::chrono::milliseconds>(settings.ageing).count();
  const auto remove_after =
      std::chrono::duration_cast<std::chrono::milliseconds>(settings.instances.remove_after).count();
  Json all{{"kefu.priority_ageing_ms", {{"string_value", std::to_string(ageing)}}},
           {"kefu.max_instances", {{"string_value", std::to_string(settings.instances.max)}}},
           {"kefu.instances_remove_after_ms", {{"string_value", std::to_string(remove_after)}}}};
  if (settings.response_cache) {
    const auto ttl = std::chrono::duration_cast<std::chrono::seconds>(settings.cache.ttl).count();
    all["kefu.cache_bytes"] = {{"string_value", std::to_string(settings.cache.bytes)}};
    all["kefu.cache_ttl_s"] = {{"string_value", std::to_string(ttl)}};
  }
  if (settings.max_batch_tokens)
    all["kefu.max_batch_tokens"] = {{"string_value", std::to_string(*settings.max_batch_tokens)}};
  return all;
}

}  // namespace

Json model_config(const ModelDescription& model) {
  const ModelSettings& settings = model.settings;
  const bool has_rows = model.max_batch_size > 0;
  return {{"name", model.name()},
          {"platform", model.metadata.platform},
          {"backend", model.metadata.platform},
          {"version_policy", version_policy(settings.versions)},
          {"max_batch_size", model.max_batch_size},
          {"input", tensors(model.metadata.inputs, has_rows, true)},
          {"output", tensors(model.metadata.outputs, has_rows, false)},
          {"instance_group",
           {{{"name", model.name() + "_0"},
             {"kind", "KIND_CPU"},
             {"count", settings.instances.min},
             {"gpus", Json::array()}}}},
          {"dynamic_batching", dynamic_batching(settings)},
          {"response_cache", {{"enable", settings.response_cache}}},
          {"model_warmup", Json::array()},
          {"model_transaction_policy", {{"decoupled", false}}},
          {"parameters", parameters(settings)}};
}

}  // namespace kefu::hosting
