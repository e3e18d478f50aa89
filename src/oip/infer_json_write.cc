#include <cmath>
#include <cstring>

#include "base/json_write.h"
#include "oip/infer_json.h"

namespace kefu::oip {
namespace {

/// Checks UTF-8, which JSON must be.
using StrictWriter = rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>,
                                       rapidjson::CrtAllocator, rapidjson::kWriteValidateEncodingFlag>;

bool write_text(StrictWriter& json, std::string_view text) {
  return json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write_key(StrictWriter& json, std::string_view key) {
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

struct ParameterWriter {
  StrictWriter& json;

  void operator()(bool value) const { json.Bool(value); }
  void operator()(std::int64_t value) const { json.Int64(value); }
  void operator()(const std::string& value) const { write_text(json, value); }
  void operator()(double value) const { json.Double(value); }
  void operator()(std::uint64_t value) const { json.Uint64(value); }
};

void write_parameters(StrictWriter& json, const Parameters& parameters) {
  write_key(json, "parameters");
  json.StartObject();
  for (const auto& [key, value] : parameters) {
    write_key(json, key);
    std::visit(ParameterWriter{json}, value);
  }
  json.EndObject();
}

/// Calls write(value) for each value of a tensor whose elements are of this type; false as soon as one call
/// is.
template <typename Value, typename Write>
bool write_all(const Tensor& tensor, const Write& write) {
  for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(Value)) {
    Value value;
    std::memcpy(&value, tensor.data.data() + at, sizeof(Value));
    if (!write(value)) return false;
  }
  return true;
}

template <typename Value>
bool write_numbers(StrictWriter& json, const Tensor& tensor) {
  return write_all<Value>(tensor, [&json](Value value) {
    if constexpr (std::is_floating_point_v<Value>) return std::isfinite(value) && json.Double(value);
    if constexpr (std::is_unsigned_v<Value>) return json.Uint64(value);
    return json.Int64(static_cast<std::int64_t>(value));
  });
}

/// False if JSON cannot say a value.
bool write_values(StrictWriter& json, const Tensor& tensor) {
  switch (tensor.datatype) {
    case DataType::kBool:
      return write_all<std::uint8_t>(tensor, [&json](std::uint8_t value) { return json.Bool(value != 0); });
    case DataType::kInt8:
      return write_numbers<std::int8_t>(json, tensor);
    case DataType::kInt16:
      return write_numbers<std::int16_t>(json, tensor);
    case DataType::kInt32:
      return write_numbers<std::int32_t>(json, tensor);
    case DataType::kInt64:
      return write_numbers<std::int64_t>(json, tensor);
    case DataType::kUint8:
      return write_numbers<std::uint8_t>(json, tensor);
    case DataType::kUint16:
      return write_numbers<std::uint16_t>(json, tensor);
    case DataType::kUint32:
      return write_numbers<std::uint32_t>(json, tensor);
    case DataType::kUint64:
      return write_numbers<std::uint64_t>(json, tensor);
    case DataType::kFp32:
      return write_numbers<float>(json, tensor);
    case DataType::kFp64:
      return write_numbers<double>(json, tensor);
    case DataType::kBytes:
      for (const std::string_view element : bytes_elements(tensor)) {
        if (!write_text(json, element)) return false;
      }
      return true;
    case DataType::kFp16:
    case DataType::kBf16:
      return false;
  }
  return false;
}

bool is_true(const Parameters& parameters, std::string_view key, bool otherwise) {
  const auto found = parameters.find(key);
  if (found == parameters.end()) return otherwise;
  const bool* value = std::get_if<bool>(&found->second);
  return value != nullptr ? *value : otherwise;
}

bool wants_binary(const InferRequest& request, std::string_view output) {
  const bool all = is_true(request.parameters, "binary_data_output", false);
  for (const RequestedOutput& wanted : request.outputs) {
    if (wanted.name == output) return is_true(wanted.parameters, "binary_data", all);
  }
  return all;
}

Result<void> write_output(StrictWriter& json, const Tensor& tensor, bool binary) {
  json.StartObject();
  write_key(json, "name");
  write_text(json, tensor.name);
  write_key(json, "datatype");
  write_text(json, wire_name(tensor.datatype));
  write_key(json, "shape");
  json.StartArray();
  for (const std::int64_t dimension : tensor.shape) json.Int64(dimension);
  json.EndArray();
  Parameters parameters = tensor.parameters;
  if (binary) parameters.insert_or_assign("binary_data_size", static_cast<std::int64_t>(tensor.data.size()));
  if (!parameters.empty()) write_parameters(json, parameters);
  if (!binary) {
    write_key(json, "data");
    json.StartArray();
    if (!write_values(json, tensor)) {
      return fail(Code::kInvalidArgument,
                  "output '{}' ({}) holds what JSON cannot say; ask for it with the parameter binary_data",
                  tensor.name, wire_name(tensor.datatype));
    }
    json.EndArray();
  }
  json.EndObject();
  return {};
}

}  // namespace

Result<InferBody> write_infer_json(const InferReply& reply, const InferRequest& request) {
  BasicJsonText<StrictWriter> written;
  StrictWriter& json = written.json();
  std::string binary;
  bool has_binary = false;
  json.StartObject();
  if (!reply.id.empty()) {
    write_key(json, "id");
    write_text(json, reply.id);
  }
  write_key(json, "model_name");
  write_text(json, reply.model);
  write_key(json, "model_version");
  write_text(json, reply.version);
  if (!reply.parameters.empty()) write_parameters(json, reply.parameters);
  write_key(json, "outputs");
  json.StartArray();
  for (const Tensor& output : reply.outputs) {
    const bool is_binary = wants_binary(request, output.name);
    KEFU_CHECK(write_output(json, output, is_binary));
    if (is_binary) binary += output.data;
    has_binary = has_binary || is_binary;
  }
  json.EndArray();
  json.EndObject();
  InferBody body{written.str(), std::nullopt};
  if (has_binary) body.json_bytes = written.size();
  body.bytes += binary;
  return body;
}

}  // namespace kefu::oip
