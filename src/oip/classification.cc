#include "oip/classification.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

namespace kefu::oip {
namespace {

template <typename Value>
std::vector<Value> values_of(const Tensor& tensor) {
  std::vector<Value> values(tensor.data.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(Value));
  return values;
}

template <typename Value>
void append_largest(std::span<const Value> row, std::size_t most, const std::vector<std::string>& labels,
                    std::string& data) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(most),
      [&](std::size_t a, std::size_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
  for (std::size_t i = 0; i < most; ++i) {
    const std::string value = std::to_string(row[order[i]]);
    append_bytes_element(order[i] < labels.size() ? fmt::format("{}:{}:{}", value, order[i], labels[order[i]])
                                                  : fmt::format("{}:{}", value, order[i]),
                         data);
  }
}

template <typename Value>
Tensor classify_as(const Tensor& scores, std::size_t most, const std::vector<std::string>& labels,
                   bool has_rows) {
  const std::vector<Value> values = values_of<Value>(scores);
  const std::size_t rows = has_rows ? static_cast<std::size_t>(scores.shape.at(0)) : 1;
  const std::size_t classes = rows == 0 ? 0 : values.size() / rows;
  most = std::min(most, classes);
  Tensor tensor{scores.name, DataType::kBytes, {static_cast<std::int64_t>(most)}, {}, {}};
  if (has_rows) tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(rows));
  for (std::size_t row = 0; row < rows; ++row)
    append_largest<Value>(std::span(values).subspan(row * classes, classes), most, labels, tensor.data);
  return tensor;
}

}  // namespace

Result<Tensor> classify(const Tensor& scores, std::size_t most, const std::vector<std::string>& labels,
                        bool has_rows) {
  switch (scores.datatype) {
    case DataType::kInt8:
      return classify_as<std::int8_t>(scores, most, labels, has_rows);
    case DataType::kInt16:
      return classify_as<std::int16_t>(scores, most, labels, has_rows);
    case DataType::kInt32:
      return classify_as<std::int32_t>(scores, most, labels, has_rows);
    case DataType::kInt64:
      return classify_as<std::int64_t>(scores, most, labels, has_rows);
    case DataType::kUint8:
      return classify_as<std::uint8_t>(scores, most, labels, has_rows);
    case DataType::kUint16:
      return classify_as<std::uint16_t>(scores, most, labels, has_rows);
    case DataType::kUint32:
      return classify_as<std::uint32_t>(scores, most, labels, has_rows);
    case DataType::kUint64:
      return classify_as<std::uint64_t>(scores, most, labels, has_rows);
    case DataType::kFp32:
      return classify_as<float>(scores, most, labels, has_rows);
    case DataType::kFp64:
      return classify_as<double>(scores, most, labels, has_rows);
    default:
      return fail(Code::kInvalidArgument, "output '{}' is {}, which cannot be classified", scores.name,
                  wire_name(scores.datatype));
  }
}

Result<std::size_t> classes_wanted(const RequestedOutput& output) {
  const auto found = output.parameters.find("classification");
  if (found == output.parameters.end()) return 0;
  if (const auto* number = std::get_if<std::int64_t>(&found->second); number != nullptr && *number > 0)
    return static_cast<std::size_t>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&found->second); number != nullptr && *number > 0)
    return static_cast<std::size_t>(*number);
  return fail(Code::kInvalidArgument, "the parameter classification of output '{}' must be a number above 0",
              output.name);
}

}  // namespace kefu::oip
