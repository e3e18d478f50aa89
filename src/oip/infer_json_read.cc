#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <absl/container/inlined_vector.h>

#include "base/json_input.h"
#include "oip/infer_json.h"

namespace kefu::oip {
namespace {

namespace dom = simdjson::dom;

template <typename Value>
void append(Value value, std::string& data) {
  data.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

tl::unexpected<Error> wrong_element(const Tensor& tensor, const dom::element& value) {
  return fail(Code::kInvalidArgument, "input '{}' holds {}, which is no {}", tensor.name,
              json_type_name(value.type()), wire_name(tensor.datatype));
}

template <typename Value, typename Number>
Result<void> append_in_range(Number number, bool fits, Tensor& tensor) {
  if (!fits) {
    return fail(Code::kInvalidArgument, "input '{}': {} is out of the range of {}", tensor.name, number,
                wire_name(tensor.datatype));
  }
  append(static_cast<Value>(number), tensor.data);
  return {};
}

template <typename Integer>
Result<void> append_integer(const dom::element& value, Tensor& tensor) {
  if (std::int64_t number = 0; value.get(number) == simdjson::SUCCESS)
    return append_in_range<Integer>(number, std::in_range<Integer>(number), tensor);
  std::uint64_t number = 0;  // above the range of int64
  if (value.get(number) != simdjson::SUCCESS) return wrong_element(tensor, value);
  return append_in_range<Integer>(number, std::in_range<Integer>(number), tensor);
}

template <typename Float>
Result<void> append_float(const dom::element& value, Tensor& tensor) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS) return wrong_element(tensor, value);
  const bool fits = std::abs(number) <= static_cast<double>(std::numeric_limits<Float>::max());
  return append_in_range<Float>(number, fits, tensor);
}

Result<void> append_element(const dom::element& value, Tensor& tensor) {
  switch (tensor.datatype) {
    case DataType::kBool: {
      bool flag = false;
      if (value.get(flag) != simdjson::SUCCESS) return wrong_element(tensor, value);
      append(static_cast<std::uint8_t>(flag), tensor.data);
      return {};
    }
    case DataType::kBytes: {
      std::string_view text;
      if (value.get(text) != simdjson::SUCCESS) return wrong_element(tensor, value);
      append_bytes_element(text, tensor.data);
      return {};
    }
    case DataType::kInt8:
      return append_integer<std::int8_t>(value, tensor);
    case DataType::kInt16:
      return append_integer<std::int16_t>(value, tensor);
    case DataType::kInt32:
      return append_integer<std::int32_t>(value, tensor);
    case DataType::kInt64:
      return append_integer<std::int64_t>(value, tensor);
    case DataType::kUint8:
      return append_integer<std::uint8_t>(value, tensor);
    case DataType::kUint16:
      return append_integer<std::uint16_t>(value, tensor);
    case DataType::kUint32:
      return append_integer<std::uint32_t>(value, tensor);
    case DataType::kUint64:
      return append_integer<std::uint64_t>(value, tensor);
    case DataType::kFp32:
      return append_float<float>(value, tensor);
    case DataType::kFp64:
      return append_float<double>(value, tensor);
    case DataType::kFp16:
    case DataType::kBf16:
      break;
  }
  return fail(Code::kInvalidArgument, "input '{}' is {}, which JSON cannot say; send it as binary data",
              tensor.name, wire_name(tensor.datatype));
}

/// Appends nested arrays, which must be as long as the shape says, from dimension `depth` on.
Result<void> append_nested(const dom::array& values, std::size_t depth, Tensor& tensor) {
  const bool innermost = depth + 1 >= tensor.shape.size();
  if (depth < tensor.shape.size() && values.size() != static_cast<std::size_t>(tensor.shape[depth])) {
    return fail(Code::kInvalidArgument,
                "input '{}': an array of dimension {} has {} elements, the shape says {}", tensor.name, depth,
                values.size(), tensor.shape[depth]);
  }
  for (const dom::element& value : values) {
    dom::array inner;
    if (innermost || value.get(inner) != simdjson::SUCCESS) {
      KEFU_CHECK(append_element(value, tensor));
    } else {
      KEFU_CHECK(append_nested(inner, depth + 1, tensor));
    }
  }
  return {};
}

/// Row-major values, nested as the shape says or flat.
Result<void> append_data(const dom::element& value, std::size_t elements, Tensor& tensor) {
  dom::array values;
  if (value.get(values) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument, "input '{}': \"data\" must be an array, not {}", tensor.name,
                json_type_name(value.type()));
  }
  const bool nested = values.begin() != values.end() && (*values.begin()).is_array();
  if (nested) return append_nested(values, 0, tensor);
  if (values.size() != elements) {
    return fail(Code::kInvalidArgument, "input '{}': \"data\" has {} elements, the shape says {}",
                tensor.name, values.size(), elements);
  }
  for (const dom::element& element : values) KEFU_CHECK(append_element(element, tensor));
  return {};
}

Result<Parameter> read_parameter(std::string_view key, const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::BOOL:
      return Parameter(bool(value));
    case dom::element_type::INT64:
      return Parameter(std::int64_t(value));
    case dom::element_type::UINT64:
      return Parameter(std::uint64_t(value));
    case dom::element_type::DOUBLE:
      return Parameter(double(value));
    case dom::element_type::STRING:
      return Parameter(std::string(std::string_view(value)));
    default:
      return fail(Code::kInvalidArgument, "parameter '{}' must be a string, a number or a boolean, not {}",
                  key, json_type_name(value.type()));
  }
}

Result<Parameters> read_parameters(const dom::element& value) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument, "\"parameters\" must be an object, not {}",
                json_type_name(value.type()));
  }
  Parameters parameters;
  for (const auto& [key, member] : object) {
    KEFU_ASSIGN(Parameter parameter, read_parameter(key, member));
    parameters.insert_or_assign(std::string(key), std::move(parameter));
  }
  return parameters;
}

Result<std::string> read_text(std::string_view key, const dom::element& value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument, "\"{}\" must be a string, not {}", key, json_type_name(value.type()));
  }
  return std::string(text);
}

Result<std::vector<std::int64_t>> read_shape(const Tensor& tensor, const dom::element& value) {
  dom::array dimensions;
  if (value.get(dimensions) != simdjson::SUCCESS)
    return fail(Code::kInvalidArgument, "input '{}': \"shape\" must be an array of integers", tensor.name);
  std::vector<std::int64_t> shape;
  for (const dom::element& dimension : dimensions) {
    std::int64_t extent = 0;
    if (dimension.get(extent) != simdjson::SUCCESS)
      return fail(Code::kInvalidArgument, "input '{}': \"shape\" must be an array of integers", tensor.name);
    shape.push_back(extent);
  }
  return shape;
}

/// Takes a tensor's bytes off the front of the binary part.
Result<void> take_binary(std::string_view& binary, Tensor& tensor) {
  const auto* size = std::get_if<std::int64_t>(&tensor.parameters.at("binary_data_size"));
  if (size == nullptr || *size < 0)
    return fail(Code::kInvalidArgument, "input '{}': binary_data_size must be an integer of 0 or more",
                tensor.name);
  if (static_cast<std::uint64_t>(*size) > binary.size()) {
    return fail(Code::kInvalidArgument,
                "input '{}': binary_data_size is {}, but only {} bytes are left in the body", tensor.name,
                *size, binary.size());
  }
  tensor.data = binary.substr(0, static_cast<std::size_t>(*size));
  binary.remove_prefix(static_cast<std::size_t>(*size));
  return {};
}

/// As many as an object of the protocol has, without an allocation.
template <typename T>
using Few = absl::InlinedVector<T, 8>;

/// The members of an object.
class Members {
 public:
  void add(std::string_view key, const dom::element& value) { all_.emplace_back(key, value); }

  const dom::element* find(std::string_view key) const {
    const auto found = std::ranges::find(all_, key, &Member::first);
    return found != all_.end() ? &found->second : nullptr;
  }
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// The name of a member that is there more than once; none: there is no such.
  std::optional<std::string_view> repeated() const {
    Few<std::string_view> keys;
    for (const Member& member : all_) keys.push_back(member.first);
    std::ranges::sort(keys);
    const auto found = std::ranges::adjacent_find(keys);
    return found != keys.end() ? std::optional(*found) : std::nullopt;
  }

 private:
  using Member = std::pair<std::string_view, dom::element>;

  Few<Member> all_;
};

/// Each is there at most once; a second one of a name would make what is read a matter of order.
Result<Members> members_of(const dom::element& value, std::string_view what) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS)
    return fail(Code::kInvalidArgument, "{} must be an object, not {}", what, json_type_name(value.type()));
  Members members;
  for (const auto& [key, member] : object) members.add(key, member);
  if (const auto key = members.repeated())
    return fail(Code::kInvalidArgument, "{} has \"{}\" twice", what, *key);
  return members;
}

Result<Tensor> read_input(const dom::element& value, std::string_view& binary, const InferLimits& limits) {
  KEFU_ASSIGN(const auto members, members_of(value, "each of \"inputs\""));
  for (const char* key : {"name", "datatype", "shape"}) {
    if (!members.contains(key)) return fail(Code::kInvalidArgument, "an input has no \"{}\"", key);
  }
  Tensor tensor;
  KEFU_ASSIGN(tensor.name, read_text("name", *members.find("name")));
  KEFU_ASSIGN(const std::string datatype, read_text("datatype", *members.find("datatype")));
  const auto known = find_datatype(datatype);
  if (!known)
    return fail(Code::kInvalidArgument, "input '{}': there is no datatype \"{}\"", tensor.name, datatype);
  tensor.datatype = *known;
  KEFU_ASSIGN(tensor.shape, read_shape(tensor, *members.find("shape")));
  if (const auto* parameters = members.find("parameters")) {
    KEFU_ASSIGN(tensor.parameters, read_parameters(*parameters));
  }
  KEFU_ASSIGN(const std::size_t elements, element_count(tensor.name, tensor.shape, limits.max_elements));
  const bool is_binary = tensor.parameters.contains("binary_data_size");
  if (is_binary == members.contains("data")) {
    return fail(Code::kInvalidArgument,
                "input '{}' must have either \"data\" or the parameter binary_data_size", tensor.name);
  }
  KEFU_CHECK(is_binary ? take_binary(binary, tensor) : append_data(*members.find("data"), elements, tensor));
  KEFU_CHECK(check_data(tensor, elements));
  return tensor;
}

Result<RequestedOutput> read_output(const dom::element& value) {
  KEFU_ASSIGN(const auto members, members_of(value, "each of \"outputs\""));
  if (!members.contains("name")) return fail(Code::kInvalidArgument, "an output has no \"name\"");
  RequestedOutput output;
  KEFU_ASSIGN(output.name, read_text("name", *members.find("name")));
  if (const auto* parameters = members.find("parameters")) {
    KEFU_ASSIGN(output.parameters, read_parameters(*parameters));
  }
  return output;
}

Result<dom::array> read_list(std::string_view key, const dom::element& value, const InferLimits& limits) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS)
    return fail(Code::kInvalidArgument, "\"{}\" must be an array, not {}", key, json_type_name(value.type()));
  if (list.size() > limits.max_tensors)
    return fail(Code::kInvalidArgument, "\"{}\" has {} tensors; at most {} are read", key, list.size(),
                limits.max_tensors);
  return list;
}

Result<void> read_members(const dom::element& root, std::string_view binary, const InferLimits& limits,
                          InferRequest& request) {
  KEFU_ASSIGN(const auto members, members_of(root, "the body"));
  if (!members.contains("inputs")) return fail(Code::kInvalidArgument, "the body has no \"inputs\"");
  if (const auto* id = members.find("id")) {
    KEFU_ASSIGN(request.id, read_text("id", *id));
  }
  if (const auto* parameters = members.find("parameters")) {
    KEFU_ASSIGN(request.parameters, read_parameters(*parameters));
  }
  KEFU_ASSIGN(const dom::array inputs, read_list("inputs", *members.find("inputs"), limits));
  for (const dom::element& input : inputs) {
    KEFU_ASSIGN(Tensor tensor, read_input(input, binary, limits));
    request.inputs.push_back(std::move(tensor));
  }
  if (!binary.empty())
    return fail(Code::kInvalidArgument, "{} bytes follow the last tensor; binary_data_size must cover them",
                binary.size());
  if (!members.contains("outputs")) return {};
  KEFU_ASSIGN(const dom::array outputs, read_list("outputs", *members.find("outputs"), limits));
  for (const dom::element& output : outputs) {
    KEFU_ASSIGN(RequestedOutput wanted, read_output(output));
    request.outputs.push_back(std::move(wanted));
  }
  return {};
}

}  // namespace

Result<InferRequest> read_infer_json(std::string_view body, std::optional<std::size_t> json_bytes,
                                     const InferLimits& limits) {
  const std::size_t length = json_bytes.value_or(body.size());
  if (length > body.size()) {
    return fail(Code::kInvalidArgument, "Inference-Header-Content-Length is {}, but the body has {} bytes",
                length, body.size());
  }
  InferRequest request;
  KEFU_CHECK(with_json(
      body.substr(0, length), R"({"inputs": [{"name": "...", ...}]})",
      [&](const dom::element& root) { return read_members(root, body.substr(length), limits, request); }));
  return request;
}

}  // namespace kefu::oip
