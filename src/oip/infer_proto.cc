#include "oip/infer_proto.h"

#include <limits>

#include <inference.pb.h>

namespace kefu::oip {
namespace {

using inference::InferParameter;
using inference::InferTensorContents;

using ParameterMap = google::protobuf::Map<std::string, InferParameter>;

Result<Parameter> read_parameter(const std::string& name, const InferParameter& value) {
  switch (value.parameter_choice_case()) {
    case InferParameter::kBoolParam:
      return value.bool_param();
    case InferParameter::kInt64Param:
      return std::int64_t{value.int64_param()};
    case InferParameter::kStringParam:
      return value.string_param();
    case InferParameter::kDoubleParam:
      return value.double_param();
    case InferParameter::kUint64Param:
      return std::uint64_t{value.uint64_param()};
    case InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return fail(Code::kInvalidArgument, "the parameter '{}' has no value", name);
}

Result<Parameters> read_parameters(const ParameterMap& map) {
  Parameters parameters;
  for (const auto& [name, value] : map) {
    KEFU_ASSIGN(Parameter parameter, read_parameter(name, value));
    parameters.emplace(name, std::move(parameter));
  }
  return parameters;
}

struct ParameterSetter {
  InferParameter& to;

  void operator()(bool value) const { to.set_bool_param(value); }
  void operator()(std::int64_t value) const { to.set_int64_param(value); }
  void operator()(const std::string& value) const { to.set_string_param(value); }
  void operator()(double value) const { to.set_double_param(value); }
  void operator()(std::uint64_t value) const { to.set_uint64_param(value); }
};

void write_parameters(const Parameters& parameters, ParameterMap& map) {
  for (const auto& [name, value] : parameters) std::visit(ParameterSetter{map[name]}, value);
}

/// Appends values as elements of a narrower type. kInvalidArgument: one is out of its range.
template <typename Element, typename Values>
Result<std::string> narrowed(const std::string& tensor, const Values& values) {
  std::string data;
  data.reserve(static_cast<std::size_t>(values.size()) * sizeof(Element));
  for (const auto value : values) {
    const auto element = static_cast<Element>(value);
    if (static_cast<decltype(+value)>(element) != +value && value == value) {  // a NaN differs from itself
      return fail(Code::kInvalidArgument, "input '{}' has an element out of the range of its type", tensor);
    }
    data.append(reinterpret_cast<const char*>(&element), sizeof(element));
  }
  return data;
}

/// The contents of a tensor in binary.
Result<std::string> read_contents(const std::string& tensor, DataType type,
                                  const InferTensorContents& contents) {
  switch (type) {
    case DataType::kBool:
      return narrowed<bool>(tensor, contents.bool_contents());
    case DataType::kInt8:
      return narrowed<std::int8_t>(tensor, contents.int_contents());
    case DataType::kInt16:
      return narrowed<std::int16_t>(tensor, contents.int_contents());
    case DataType::kInt32:
      return narrowed<std::int32_t>(tensor, contents.int_contents());
    case DataType::kInt64:
      return narrowed<std::int64_t>(tensor, contents.int64_contents());
    case DataType::kUint8:
      return narrowed<std::uint8_t>(tensor, contents.uint_contents());
    case DataType::kUint16:
      return narrowed<std::uint16_t>(tensor, contents.uint_contents());
    case DataType::kUint32:
      return narrowed<std::uint32_t>(tensor, contents.uint_contents());
    case DataType::kUint64:
      return narrowed<std::uint64_t>(tensor, contents.uint64_contents());
    case DataType::kFp32:
      return narrowed<float>(tensor, contents.fp32_contents());
    case DataType::kFp64:
      return narrowed<double>(tensor, contents.fp64_contents());
    case DataType::kBytes: {
      std::string data;
      for (const std::string& element : contents.bytes_contents()) append_bytes_element(element, data);
      return data;
    }
    case DataType::kFp16:
    case DataType::kBf16:
      break;
  }
  return fail(Code::kInvalidArgument,
              "input '{}' is {}, which has no contents field; send raw_input_contents", tensor,
              wire_name(type));
}

/// How many elements there are in all fields together: those of other types are an error.
int content_size(const InferTensorContents& contents) {
  return contents.bool_contents_size() + contents.int_contents_size() + contents.int64_contents_size() +
         contents.uint_contents_size() + contents.uint64_contents_size() + contents.fp32_contents_size() +
         contents.fp64_contents_size() + contents.bytes_contents_size();
}

Result<Tensor> read_input(inference::ModelInferRequest& message, int number, const InferLimits& limits) {
  const auto& input = message.inputs(number);
  const auto type = find_datatype(input.datatype());
  if (!type) {
    return fail(Code::kInvalidArgument, "input '{}' has the unknown datatype '{}'", input.name(),
                input.datatype());
  }
  Tensor tensor{input.name(), *type, {input.shape().begin(), input.shape().end()}, {}, {}};
  KEFU_ASSIGN(const std::size_t elements, element_count(tensor.name, tensor.shape, limits.max_elements));
  KEFU_ASSIGN(tensor.parameters, read_parameters(input.parameters()));
  if (message.raw_input_contents_size() > 0) {
    tensor.data = std::move(*message.mutable_raw_input_contents(number));
  } else {
    KEFU_ASSIGN(tensor.data, read_contents(tensor.name, *type, input.contents()));
    if (static_cast<std::size_t>(content_size(input.contents())) != elements) {
      return fail(Code::kInvalidArgument,
                  "input '{}' has {} elements in its contents; its shape needs {} of {}", input.name(),
                  content_size(input.contents()), elements, wire_name(*type));
    }
  }
  KEFU_CHECK(check_data(tensor, elements));
  return tensor;
}

/// Triton's sentence, which its clients look for.
Result<void> check_one_form(const inference::ModelInferRequest& message) {
  if (message.raw_input_contents_size() == 0) return {};
  for (const auto& input : message.inputs()) {
    if (!input.has_contents()) continue;
    return fail(
        Code::kInvalidArgument,
        "contents field must not be specified when using raw_input_contents for '{}' for model '{}'; use "
        "one of the two",
        input.name(), message.model_name());
  }
  return {};
}

}  // namespace

Result<InferRequest> read_infer_proto(inference::ModelInferRequest& message, const InferLimits& limits) {
  if (static_cast<std::size_t>(message.inputs_size()) > limits.max_tensors ||
      static_cast<std::size_t>(message.outputs_size()) > limits.max_tensors) {
    return fail(Code::kInvalidArgument, "more than {} inputs or outputs", limits.max_tensors);
  }
  KEFU_CHECK(check_one_form(message));
  if (message.raw_input_contents_size() > 0 && message.raw_input_contents_size() != message.inputs_size()) {
    return fail(Code::kInvalidArgument, "raw_input_contents has {} entries for {} inputs",
                message.raw_input_contents_size(), message.inputs_size());
  }
  InferRequest request{message.model_name(), message.model_version(), message.id(), {}, {}, {}};
  KEFU_ASSIGN(request.parameters, read_parameters(message.parameters()));
  for (int i = 0; i < message.inputs_size(); ++i) {
    KEFU_ASSIGN(Tensor tensor, read_input(message, i, limits));
    request.inputs.push_back(std::move(tensor));
  }
  for (const auto& output : message.outputs()) {
    KEFU_ASSIGN(Parameters parameters, read_parameters(output.parameters()));
    request.outputs.push_back({output.name(), std::move(parameters)});
  }
  return request;
}

void write_infer_proto(InferReply reply, inference::ModelInferResponse& message) {
  message.set_model_name(std::move(reply.model));
  message.set_model_version(std::move(reply.version));
  message.set_id(std::move(reply.id));
  write_parameters(reply.parameters, *message.mutable_parameters());
  for (Tensor& tensor : reply.outputs) {
    auto& output = *message.add_outputs();
    output.set_name(std::move(tensor.name));
    output.set_datatype(std::string(wire_name(tensor.datatype)));
    output.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
    write_parameters(tensor.parameters, *output.mutable_parameters());
    message.add_raw_output_contents(std::move(tensor.data));
  }
}

}  // namespace kefu::oip
