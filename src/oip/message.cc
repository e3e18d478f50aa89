#include "oip/message.h"

#include <bit>
#include <cstring>

namespace kefu::oip {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors travel in the machine's byte order");

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);

/// Takes the first element off `data`; false if it is cut short.
bool take_element(std::string_view& data, std::string_view& element) {
  std::uint32_t length = 0;
  if (data.size() < kLengthBytes) return false;
  std::memcpy(&length, data.data(), kLengthBytes);
  data.remove_prefix(kLengthBytes);
  if (data.size() < length) return false;
  element = data.substr(0, length);
  data.remove_prefix(length);
  return true;
}

}  // namespace

Result<std::size_t> element_count(std::string_view tensor, const std::vector<std::int64_t>& shape,
                                  std::size_t most) {
  if (shape.size() > kMaxRank) {
    return fail(Code::kInvalidArgument, "input '{}' has {} dimensions; at most {} are read", tensor,
                shape.size(), kMaxRank);
  }
  std::size_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0)
      return fail(Code::kInvalidArgument, "input '{}' has a negative dimension, {}", tensor, dimension);
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(dimension), &count) || count > most)
      return fail(Code::kInvalidArgument, "input '{}' has more than {} elements", tensor, most);
  }
  return count;
}

Result<void> check_data(const Tensor& tensor, std::size_t elements) {
  if (tensor.datatype != DataType::kBytes) {
    const std::size_t expected = elements * element_size(tensor.datatype);
    if (tensor.data.size() == expected) return {};
    return fail(Code::kInvalidArgument, "input '{}' has {} bytes of data; {} elements of {} need {}",
                tensor.name, tensor.data.size(), elements, wire_name(tensor.datatype), expected);
  }
  std::string_view rest = tensor.data;
  std::string_view element;
  for (std::size_t i = 0; i < elements; ++i) {
    if (!take_element(rest, element)) {
      return fail(Code::kInvalidArgument,
                  "input '{}': element {} of {} is cut short; each is a length of 4 bytes and so "
                  "many bytes",
                  tensor.name, i, elements);
    }
  }
  if (!rest.empty()) {
    return fail(Code::kInvalidArgument, "input '{}' has {} bytes behind its {} elements", tensor.name,
                rest.size(), elements);
  }
  return {};
}

void append_bytes_element(std::string_view element, std::string& data) {
  const auto length = static_cast<std::uint32_t>(element.size());
  data.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  data.append(element);
}

std::vector<std::size_t> bytes_row_offsets(std::string_view data, std::size_t elements, std::size_t rows) {
  std::vector<std::size_t> offsets{0};
  std::string_view rest = data;
  std::string_view element;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < elements / rows; ++i) take_element(rest, element);
    offsets.push_back(data.size() - rest.size());
  }
  return offsets;
}

std::vector<std::string_view> bytes_elements(const Tensor& tensor) {
  std::vector<std::string_view> elements;
  std::string_view rest = tensor.data;
  for (std::string_view element; take_element(rest, element);) elements.push_back(element);
  return elements;
}

}  // namespace kefu::oip
