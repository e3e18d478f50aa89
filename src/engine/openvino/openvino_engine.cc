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

/// The types OpenVINO and the protocol share.
struct TypeRow {
  DataType type;
  ov::element::Type_t element;
};

constexpr TypeRow kTypes[] = {
    {DataType::kBool, ov::element::Type_t::boolean}, {DataType::kInt8, ov::element::Type_t::i8},
    {DataType::kInt16, ov::element::Type_t::i16},    {DataType::kInt32, ov::element::Type_t::i32},
    {DataType::kInt64, ov::element::Type_t::i64},    {DataType::kUint8, ov::element::Type_t::u8},
    {DataType::kUint16, ov::element::Type_t::u16},   {DataType::kUint32, ov::element::Type_t::u32},
    {DataType::kUint64, ov::element::Type_t::u64},   {DataType::kFp16, ov::element::Type_t::f16},
    {DataType::kBf16, ov::element::Type_t::bf16},    {DataType::kFp32, ov::element::Type_t::f32},
    {DataType::kFp64, ov::element::Type_t::f64},
};

Result<DataType> data_type_of(const ov::element::Type& type, const std::string& name) {
  const auto found = std::ranges::find(kTypes, ov::element::Type_t(type), &TypeRow::element);
  if (found != std::end(kTypes)) return found->type;
  return fail(Code::kUnimplemented, "tensor {} is of type {}, which is not supported; export numbers instead",
              name, type.get_type_name());
}

/// `type` is that of a declared input, so it has a row.
ov::element::Type element_type(DataType type) {
  return std::ranges::find(kTypes, type, &TypeRow::type)->element;
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
        const auto* data = static_cast<const std::byte*>(tensor.data());
        outputs.push_back(
            {info_.outputs[i].type, {shape.begin(), shape.end()}, {data, tensor.get_byte_size()}});
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
