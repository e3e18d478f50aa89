#include "oip/datatype.h"

#include <algorithm>
#include <array>

namespace kefu::oip {
namespace {

struct Row {
  std::string_view wire;
  std::string_view config;
  std::size_t size;
};

/// In the order of the enumeration.
constexpr std::array<Row, 14> kRows{{
    {"BOOL", "TYPE_BOOL", 1},
    {"INT8", "TYPE_INT8", 1},
    {"INT16", "TYPE_INT16", 2},
    {"INT32", "TYPE_INT32", 4},
    {"INT64", "TYPE_INT64", 8},
    {"UINT8", "TYPE_UINT8", 1},
    {"UINT16", "TYPE_UINT16", 2},
    {"UINT32", "TYPE_UINT32", 4},
    {"UINT64", "TYPE_UINT64", 8},
    {"FP16", "TYPE_FP16", 2},
    {"BF16", "TYPE_BF16", 2},
    {"FP32", "TYPE_FP32", 4},
    {"FP64", "TYPE_FP64", 8},
    {"BYTES", "TYPE_STRING", 0},
}};

const Row& row(DataType type) {
  return kRows[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view wire_name(DataType type) {
  return row(type).wire;
}

std::string_view config_name(DataType type) {
  return row(type).config;
}

std::size_t element_size(DataType type) {
  return row(type).size;
}

std::optional<DataType> find_datatype(std::string_view wire_name) {
  const auto found = std::ranges::find(kRows, wire_name, &Row::wire);
  if (found == kRows.end()) return std::nullopt;
  return static_cast<DataType>(found - kRows.begin());
}

}  // namespace kefu::oip
