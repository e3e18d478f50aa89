#include "engine/openvino/openvino_engine.h"

#include <algorithm>

#include <openvino/openvino.hpp>
#include <spdlog/spdlog.h>

namespace kefu::engine {
namespace {

/// One Core a process: it owns the plug-ins. Constructed at first use, thread-safe by itself.
ov::Core& core() {
  static ov::Core instance;
  return instance;
}

Result<DataType> data_type_of(const ov::element::Type& type, const std::string& name) {
  if (type == ov::element::f32) return DataType::kFloat32;
  if (type == ov::element::i64) return DataType::kInt64;
  if (type == ov::element::i32) return DataType::kInt32;
  return fail(Code::kUnimplemented, "tensor {} is of type {}; supported: f32, i32, i64", name,
              type.get_type_name());
}

ov::element::Type element_type(DataType type) {
  switch (type) {
    case DataType::kInt64:
      return ov::element::i64;
    case DataType::kInt32:
      return ov::element::i32;
    default:
      return ov::element::f32;
  }
}

Result<TensorInfo> describe(const ov::Output<const ov::Node>& port) {
  TensorInfo info;
  info.name = port.get_any_name();
  KEFU_ASSIGN(info.type, data_type_of(port.get_element_type(), info.name));
  for (const ov::Dimension& dimension : port.get_partial_shape()) {
    info.shape.push_back(dimension.is_static() ? dimension.get_length() : -1);
  }
  return info;
}

class OpenVinoContext final : public ExecutionContext {
 public:
  OpenVinoContext(ov::InferRequest request, const EngineInfo& info)
      : request_(std::move(request)), info_(info) {}

  Result<void> run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) override {
    KEFU_CHECK(check_inputs(info_, inputs));
    if (has_empty_input(inputs)) {
      outputs = empty_outputs(info_);
      return {};
    }
    outputs.clear();
    try {
      for (const InputTensor& input : inputs) {
        const ov::Shape shape(input.shape.begin(), input.shape.end());
        // The tensor borrows the caller's memory; OpenVINO only reads inputs.
        request_.set_tensor(std::string(input.name),
                            ov::Tensor(element_type(input.type), shape, const_cast<void*>(input.data)));
      }
      request_.infer();
      for (std::size_t i = 0; i < info_.outputs.size(); ++i) {
        const ov::Tensor tensor = request_.get_output_tensor(i);
        const ov::Shape& shape = tensor.get_shape();
        outputs.push_back({{shape.begin(), shape.end()}, {tensor.data<const float>(), tensor.get_size()}});
      }
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "OpenVINO could not run the model: {}", error.what());
    }
    return {};
  }

 private:
  ov::InferRequest request_;
  const EngineInfo& info_;
};

class OpenVinoEngine final : public Engine {
 public:
  OpenVinoEngine(ov::CompiledModel model, EngineInfo info)
      : model_(std::move(model)), info_(std::move(info)) {}

  const EngineInfo& info() const override { return info_; }

  Result<std::unique_ptr<ExecutionContext>> create_context() override {
    try {
      return std::make_unique<OpenVinoContext>(model_.create_infer_request(), info_);
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "OpenVINO could not create an execution context: {}", error.what());
    }
  }

 private:
  ov::CompiledModel model_;
  EngineInfo info_;
};

/// bf16 pays only where the CPU has AMX tiles; elsewhere it is slower than f32 in batches.
Result<ov::element::Type> parse_precision(std::string_view name) {
  if (name == "bf16") return ov::element::bf16;
  if (name == "f32") return ov::element::f32;
  if (name == "auto") return __builtin_cpu_supports("amx-bf16") ? ov::element::bf16 : ov::element::f32;
  return fail(Code::kInvalidArgument, "there is no precision \"{}\"; known: auto, f32, bf16", name);
}

/// Threads are not pinned: OpenVINO would pin every process to the same first cores, and a thread that shares
/// its core keeps the other threads of its run waiting.
ov::AnyMap properties(const EngineOptions& options, const ov::element::Type& precision) {
  ov::AnyMap map{ov::hint::inference_precision(precision), ov::num_streams(options.streams),
                 ov::hint::enable_hyper_threading(true), ov::hint::enable_cpu_pinning(false)};
  if (options.threads > 0) map.insert(ov::inference_num_threads(options.threads * options.streams));
  return map;
}

Result<EngineInfo> describe_model(const ov::CompiledModel& model, const ov::element::Type& precision) {
  EngineInfo info{.engine = "openvino",
                  .device = "CPU",
                  .precision = precision.get_type_name(),
                  .inputs = {},
                  .outputs = {}};
  for (const auto& port : model.inputs()) {
    KEFU_ASSIGN(TensorInfo input, describe(port));
    info.inputs.push_back(std::move(input));
  }
  for (const auto& port : model.outputs()) {
    KEFU_ASSIGN(TensorInfo output, describe(port));
    if (output.type != DataType::kFloat32) {
      return fail(Code::kUnimplemented, "output {} is {}, only FP32 outputs are read", output.name,
                  data_type_name(output.type));
    }
    info.outputs.push_back(std::move(output));
  }
  return info;
}

}  // namespace

Result<std::unique_ptr<Engine>> load_openvino_engine(const std::filesystem::path& onnx,
                                                     const EngineOptions& options) {
  KEFU_ASSIGN(const ov::element::Type precision, parse_precision(options.precision));
  std::error_code error;
  if (!std::filesystem::is_regular_file(onnx, error))
    return fail(Code::kNotFound, "there is no model file {}", onnx.string());
  try {
    ov::CompiledModel model = core().compile_model(onnx.string(), "CPU", properties(options, precision));
    KEFU_ASSIGN(EngineInfo info, describe_model(model, precision));
    return std::make_unique<OpenVinoEngine>(std::move(model), std::move(info));
  } catch (const std::exception& failure) {
    spdlog::debug("openvino: {}", failure.what());
    return fail(Code::kInvalidArgument,
                "{} is not an ONNX model that OpenVINO can load; export it again (opset 13-21)",
                onnx.string());
  }
}

std::string openvino_version() {
  const std::string number = ov::get_openvino_version().buildNumber;
  return number.substr(0, number.find('-'));
}

}  // namespace kefu::engine
