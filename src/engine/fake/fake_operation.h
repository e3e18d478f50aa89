#pragma once
// What the fake engine computes.

#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace kefu::engine {

/// An output and its memory, which is used again by the next run.
struct FakeOutput {
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
  std::string data;
};

/// Computes the outputs from inputs in the order of EngineInfo::inputs, with the declared types and shapes.
using FakeOperation = Result<void> (*)(std::span<const InputTensor> inputs, std::vector<FakeOutput>& outputs);

/// `encoder`: last_hidden_state = inputs_embeds where attention_mask is 1, else 0.
/// `identity`: every output is an input. `add_sub`: the sum and the difference of two inputs of INT8, INT32
/// or FP32, or of BYTES that are decimal numbers. kNotFound lists them.
Result<FakeOperation> find_fake_operation(std::string_view name);

}  // namespace kefu::engine
