#include "tensor/tensor_model.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace kefu::tensor {
namespace {

using engine::TensorInfo;

bool is_open(const TensorInfo& tensor) {
  return !tensor.shape.empty() && tensor.shape[0] == -1;
}

Result<void> check_input(const TensorInfo& declared, const oip::Tensor& input) {
  if (input.datatype != declared.type) {
    return fail(Code::kInvalidArgument, "input '{}' is {}, the model wants {}", input.name,
                oip::wire_name(input.datatype), oip::wire_name(declared.type));
  }
  bool fits = input.shape.size() == declared.shape.size();
  for (std::size_t i = 0; fits && i < input.shape.size(); ++i)
    fits = declared.shape[i] == -1 || declared.shape[i] == input.shape[i];
  if (fits) return {};
  return fail(Code::kInvalidArgument, "unexpected shape for input '{}': [{}]; the model wants [{}] (-1: any)",
              input.name, fmt::join(input.shape, ","), fmt::join(declared.shape, ","));
}

}  // namespace

bool TensorModel::can_batch(const engine::EngineInfo& info) {
  return std::ranges::all_of(info.inputs, is_open) && std::ranges::all_of(info.outputs, is_open);
}

Result<std::shared_ptr<const TensorModel>> TensorModel::create(std::unique_ptr<engine::Engine> engine,
                                                               std::size_t max_batch_size) {
  if (max_batch_size > 0 && !can_batch(engine->info())) {
    return fail(
        Code::kInvalidArgument,
        "max_batch_size is {}, but the first dimension of some input or output is fixed; set it to 0, or "
        "export the model with a dynamic first dimension",
        max_batch_size);
  }
  return std::shared_ptr<const TensorModel>(new TensorModel(std::move(engine), max_batch_size));
}

Result<std::size_t> TensorModel::check(oip::InferRequest& request) const {
  const auto& declared = info().inputs;
  for (const oip::Tensor& input : request.inputs) {
    if (std::ranges::find(declared, input.name, &TensorInfo::name) == declared.end())
      return fail(Code::kInvalidArgument, "unexpected inference input '{}' for model '{}'", input.name,
                  request.model);
  }
  if (request.inputs.size() != declared.size()) {
    return fail(Code::kInvalidArgument, "expected {} inputs but got {} inputs for model '{}'",
                declared.size(), request.inputs.size(), request.model);
  }
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const auto found = std::ranges::find(request.inputs, declared[i].name, &oip::Tensor::name);
    if (found == request.inputs.end()) {
      return fail(Code::kInvalidArgument, "input '{}' of model '{}' is missing", declared[i].name,
                  request.model);
    }
    std::iter_swap(request.inputs.begin() + static_cast<std::ptrdiff_t>(i), found);
    KEFU_CHECK(check_input(declared[i], request.inputs[i]));
  }
  if (max_batch_size_ == 0 || declared.empty()) return 1;
  const std::int64_t rows = request.inputs[0].shape[0];
  for (const oip::Tensor& input : request.inputs) {
    // An engine gives no outputs for rows of nothing, so they could not be told apart in a batch.
    if (rows > 0 && std::find(input.shape.begin() + 1, input.shape.end(), 0) != input.shape.end()) {
      return fail(Code::kInvalidArgument, "input '{}' has rows without elements: its shape is [{}]",
                  input.name, fmt::join(input.shape, ","));
    }
    if (input.shape[0] == rows) continue;
    return fail(Code::kInvalidArgument, "input '{}' has {} rows, '{}' has {}; all inputs need as many",
                input.name, input.shape[0], request.inputs[0].name, rows);
  }
  return static_cast<std::size_t>(rows);
}

}  // namespace kefu::tensor
