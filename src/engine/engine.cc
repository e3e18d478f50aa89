#include "engine/engine.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace kefu::engine {

std::string_view data_type_name(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return "FP32";
    case DataType::kInt64:
      return "INT64";
    case DataType::kInt32:
      return "INT32";
  }
  return "?";
}

std::size_t data_type_size(DataType type) {
  return type == DataType::kInt64 ? 8 : 4;
}

namespace {

Result<void> check_shape(const TensorInfo& declared, const InputTensor& input) {
  bool fits = declared.shape.size() == input.shape.size();
  for (std::size_t i = 0; fits && i < input.shape.size(); ++i) {
    fits = input.shape[i] >= 0 && (declared.shape[i] < 0 || declared.shape[i] == input.shape[i]);
  }
  if (fits) return {};
  return fail(Code::kInvalidArgument, "input {} has shape [{}], the model wants [{}] (-1: any)", input.name,
              fmt::join(input.shape, ","), fmt::join(declared.shape, ","));
}

}  // namespace

Result<void> check_inputs(const EngineInfo& info, std::span<const InputTensor> inputs) {
  for (const TensorInfo& declared : info.inputs) {
    const auto found = std::ranges::find(inputs, declared.name, &InputTensor::name);
    if (found == inputs.end()) return fail(Code::kInvalidArgument, "input {} is missing", declared.name);
    if (found->type != declared.type) {
      return fail(Code::kInvalidArgument, "input {} is {}, the model wants {}", declared.name,
                  data_type_name(found->type), data_type_name(declared.type));
    }
    KEFU_CHECK(check_shape(declared, *found));
  }
  for (const InputTensor& input : inputs) {
    if (std::ranges::find(info.inputs, input.name, &TensorInfo::name) == info.inputs.end()) {
      return fail(Code::kInvalidArgument, "the model has no input {}", input.name);
    }
  }
  return {};
}

}  // namespace kefu::engine
