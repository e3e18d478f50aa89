#include "engine/fake/fake_operation.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/ranges.h>

#include "oip/message.h"

namespace kefu::engine {
namespace {

std::size_t elements_of(const InputTensor& input) {
  std::size_t count = 1;
  for (const std::int64_t dimension : input.shape) count *= static_cast<std::size_t>(dimension);
  return count;
}

std::string_view bytes_of(const InputTensor& input) {
  const std::size_t size = oip::element_size(input.type);
  return {static_cast<const char*>(input.data), size == 0 ? input.bytes : size * elements_of(input)};
}

Result<void> encode(std::span<const InputTensor> inputs, std::vector<FakeOutput>& outputs) {
  const InputTensor& embeds = inputs[0];
  const InputTensor& mask = inputs[1];
  if (mask.shape[0] != embeds.shape[0] || mask.shape[1] != embeds.shape[1]) {
    return fail(Code::kInvalidArgument,
                "attention_mask has shape [{}], inputs_embeds [{}]; both must begin alike",
                fmt::join(mask.shape, ","), fmt::join(embeds.shape, ","));
  }
  const std::size_t row = static_cast<std::size_t>(embeds.shape[2]) * sizeof(float);
  outputs.resize(1);
  outputs[0].type = DataType::kFp32;
  outputs[0].shape = embeds.shape;
  outputs[0].data.assign(bytes_of(embeds));
  for (std::size_t token = 0; token < elements_of(mask); ++token) {
    if (static_cast<const std::int64_t*>(mask.data)[token] == 0)
      std::memset(outputs[0].data.data() + token * row, 0, row);
  }
  return {};
}

Result<void> copy(std::span<const InputTensor> inputs, std::vector<FakeOutput>& outputs) {
  outputs.clear();
  for (const InputTensor& input : inputs)
    outputs.push_back({input.type, input.shape, std::string(bytes_of(input))});
  return {};
}

template <typename Number>
void add_and_subtract(const InputTensor& a, const InputTensor& b, std::string& sum, std::string& difference) {
  const std::size_t count = elements_of(a);
  sum.resize(count * sizeof(Number));
  difference.resize(count * sizeof(Number));
  for (std::size_t i = 0; i < count; ++i) {
    const Number x = static_cast<const Number*>(a.data)[i];
    const Number y = static_cast<const Number*>(b.data)[i];
    reinterpret_cast<Number*>(sum.data())[i] = static_cast<Number>(x + y);
    reinterpret_cast<Number*>(difference.data())[i] = static_cast<Number>(x - y);
  }
}

Result<int> read_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return fail(Code::kInvalidArgument, "an element is not a decimal number");
}

Result<void> add_and_subtract_text(const InputTensor& a, const InputTensor& b, std::string& sum,
                                   std::string& difference) {
  sum.clear();
  difference.clear();
  const oip::Tensor left{{}, a.type, a.shape, {}, std::string(bytes_of(a))};
  const oip::Tensor right{{}, b.type, b.shape, {}, std::string(bytes_of(b))};
  const auto x = oip::bytes_elements(left);
  const auto y = oip::bytes_elements(right);
  for (std::size_t i = 0; i < x.size(); ++i) {
    KEFU_ASSIGN(const int first, read_number(x[i]));
    KEFU_ASSIGN(const int second, read_number(y[i]));
    oip::append_bytes_element(std::to_string(first + second), sum);
    oip::append_bytes_element(std::to_string(first - second), difference);
  }
  return {};
}

Result<void> add_sub(std::span<const InputTensor> inputs, std::vector<FakeOutput>& outputs) {
  if (inputs.size() != 2 || inputs[0].type != inputs[1].type || inputs[0].shape != inputs[1].shape)
    return fail(Code::kInvalidArgument, "add_sub takes two inputs of one type and shape");
  outputs.assign(2, {inputs[0].type, inputs[0].shape, {}});
  std::string& sum = outputs[0].data;
  std::string& difference = outputs[1].data;
  switch (inputs[0].type) {
    case DataType::kInt8:
      add_and_subtract<std::int8_t>(inputs[0], inputs[1], sum, difference);
      return {};
    case DataType::kInt32:
      add_and_subtract<std::int32_t>(inputs[0], inputs[1], sum, difference);
      return {};
    case DataType::kFp32:
      add_and_subtract<float>(inputs[0], inputs[1], sum, difference);
      return {};
    case DataType::kBytes:
      return add_and_subtract_text(inputs[0], inputs[1], sum, difference);
    default:
      return fail(Code::kUnimplemented, "add_sub does not take {}", oip::wire_name(inputs[0].type));
  }
}

}  // namespace

Result<FakeOperation> find_fake_operation(std::string_view name) {
  if (name == "encoder") return encode;
  if (name == "identity") return copy;
  if (name == "add_sub") return add_sub;
  return fail(Code::kNotFound, "there is no operation \"{}\"; known: encoder, identity, add_sub", name);
}

}  // namespace kefu::engine
