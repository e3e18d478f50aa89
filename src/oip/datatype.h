#pragma once
// Tensor element types of the Open Inference Protocol v2.

#include <cstddef>
#include <optional>
#include <string_view>

namespace kefu::oip {

enum class DataType {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kBytes,
};

/// "FP32", as in requests and replies.
std::string_view wire_name(DataType type);

/// "TYPE_FP32", as in Triton's model configuration; BYTES is "TYPE_STRING".
std::string_view config_name(DataType type);

/// Bytes of an element; 0 for BYTES, whose elements have their own.
std::size_t element_size(DataType type);

std::optional<DataType> find_datatype(std::string_view wire_name);

}  // namespace kefu::oip
