#pragma once
// The engine interface: a loaded plan (Engine) and the means to run it (ExecutionContext).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "oip/datatype.h"

namespace kefu::engine {

using oip::DataType;

/// An input or output as the plan declares it; -1 is a dynamic dimension.
struct TensorInfo {
  std::string name;
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
};

/// What a loaded plan is and runs on.
struct EngineInfo {
  std::string engine;     // "openvino"
  std::string device;     // "CPU", with its name where known
  std::string precision;  // "f32", "bf16"
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
};

/// A tensor handed in: row-major data owned by the caller and unchanged until run() returns.
struct InputTensor {
  std::string_view name;
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;  // BYTES as oip::Tensor has them
  std::size_t bytes = 0;       // of `data`; only BYTES needs it
};

/// A tensor handed out: memory of the context, valid until its next run().
struct OutputTensor {
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;

  /// Of an FP32 tensor.
  std::span<const float> floats() const {
    return {reinterpret_cast<const float*>(data.data()), data.size() / sizeof(float)};
  }
};

/// One stream of work. Used by one thread at a time; run() blocks until the outputs are there.
class ExecutionContext {
 public:
  virtual ~ExecutionContext() = default;

  /// Runs the plan once. Inputs may come in any order; outputs are in the order of EngineInfo.
  /// If an input has no elements, the outputs are empty_outputs(). kInvalidArgument: a wrong name, type or
  /// shape; kInternal: the device failed (the message is the library's). After an error it can run again.
  virtual Result<void> run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) = 0;
};

/// A loaded plan: immutable, shared by any number of threads; outlives its contexts.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const EngineInfo& info() const = 0;

  virtual Result<std::unique_ptr<ExecutionContext>> create_context() = 0;
};

/// Where and how a plan is loaded.
struct EngineOptions {
  int threads = 0;                 // of one inference; 0 = all cores
  int streams = 1;                 // inferences at once
  std::string precision = "auto";  // "auto": f32, or bf16 on a CPU with AMX; "f32"; "bf16"
};

/// The inputs must be the ones declared, each once: names, types and fixed dimensions. Shared by all engines.
Result<void> check_inputs(const EngineInfo& info, std::span<const InputTensor> inputs);

/// True if there is nothing to compute, such as a batch of 0 rows.
bool has_empty_input(std::span<const InputTensor> inputs);

/// The outputs of a run with nothing to compute: no values, fixed dimensions as declared, dynamic ones 0.
std::vector<OutputTensor> empty_outputs(const EngineInfo& info);

}  // namespace kefu::engine
