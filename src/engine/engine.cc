#include "engine/engine.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace kefu::engine {

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

Result<void> check_names(std::span<const TensorInfo> declared, std::span<const InputTensor> inputs) {
  std::vector<std::string_view> wanted;
  std::vector<std::string_view> found;
  for (const TensorInfo& input : declared) wanted.push_back(input.name);
  for (const InputTensor& input : inputs) found.push_back(input.name);
  if (std::ranges::is_permutation(wanted, found)) return {};
  return fail(Code::kInvalidArgument, "the inputs are [{}], the model wants [{}]", fmt::join(found, ", "),
              fmt::join(wanted, ", "));
}

}  // namespace

Result<void> check_inputs(const EngineInfo& info, std::span<const InputTensor> inputs) {
  KEFU_CHECK(check_names(info.inputs, inputs));
  for (const TensorInfo& declared : info.inputs) {
    const auto found = std::ranges::find(inputs, declared.name, &InputTensor::name);
    if (found->type != declared.type) {
      return fail(Code::kInvalidArgument, "input {} is {}, the model wants {}", declared.name,
                  oip::wire_name(found->type), oip::wire_name(declared.type));
    }
    KEFU_CHECK(check_shape(declared, *found));
  }
  return {};
}

bool has_empty_input(std::span<const InputTensor> inputs) {
  return std::ranges::any_of(inputs, [](const InputTensor& input) {
    return std::ranges::find(input.shape, 0) != input.shape.end();
  });
}

std::vector<OutputTensor> empty_outputs(const EngineInfo& info) {
  std::vector<OutputTensor> outputs;
  for (const TensorInfo& declared : info.outputs) {
    outputs.push_back({declared.type, declared.shape, {}});
    std::ranges::replace(outputs.back().shape, -1, 0);
  }
  return outputs;
}

}  // namespace kefu::engine
