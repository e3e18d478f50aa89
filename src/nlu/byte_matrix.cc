#include "nlu/byte_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

constexpr float kSteps = 127;
constexpr std::int32_t kMove = 128;
constexpr std::size_t kRows = 64;  // a call of the kernel

/// Sets out[i] to the step of vector[i]; returns the value of a step.
float quantize(std::span<const float> vector, std::span<std::int8_t> out) {
  const float largest =
      Eigen::Map<const Eigen::ArrayXf>(vector.data(), std::ssize(vector)).abs().maxCoeff();
  const float inverse = largest > 0 ? kSteps / largest : 0.0F;
  for (std::size_t i = 0; i < vector.size(); ++i)
    out[i] = static_cast<std::int8_t>(std::nearbyint(vector[i] * inverse));
  return largest / kSteps;
}

/// out[r] = sum of vector[i] * rows[r * columns + i]. Four rows at a time: one row's sums would wait for each
/// other. Inlined into functions for a CPU with VNNI, whose vpdpbusd the loops become, and for any other.
[[gnu::always_inline]] inline void multiply_rows(const std::uint8_t* vector, const std::int8_t* rows,
                                                 std::size_t columns, std::size_t count, std::int32_t* out) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const std::int8_t* row = rows + r * columns;
    std::int32_t a = 0;
    std::int32_t b = 0;
    std::int32_t c = 0;
    std::int32_t d = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::int32_t value = vector[i];
      a += value * row[i];
      b += value * row[columns + i];
      c += value * row[2 * columns + i];
      d += value * row[3 * columns + i];
    }
    out[r] = a;
    out[r + 1] = b;
    out[r + 2] = c;
    out[r + 3] = d;
  }
  for (; r < count; ++r) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < columns; ++i)
      sum += static_cast<std::int32_t>(vector[i]) * rows[r * columns + i];
    out[r] = sum;
  }
}

[[gnu::target("avx512vnni,avx512vl,avx512bw")]] void multiply_vnni(const std::uint8_t* vector,
                                                                   const std::int8_t* rows,
                                                                   std::size_t columns, std::size_t count,
                                                                   std::int32_t* out) {
  multiply_rows(vector, rows, columns, count, out);
}

void multiply_any(const std::uint8_t* vector, const std::int8_t* rows, std::size_t columns, std::size_t count,
                  std::int32_t* out) {
  multiply_rows(vector, rows, columns, count, out);
}

const auto multiply_bytes = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl") &&
                                    __builtin_cpu_supports("avx512bw")
                                ? multiply_vnni
                                : multiply_any;

}  // namespace

ByteVector::ByteVector(std::span<const float> vector) : steps_(vector.size()) {
  std::vector<std::int8_t> steps(vector.size());
  scale_ = quantize(vector, steps);
  for (std::size_t i = 0; i < steps.size(); ++i) steps_[i] = static_cast<std::uint8_t>(steps[i] + kMove);
}

ByteMatrix::ByteMatrix(std::span<const float> values, std::size_t columns)
    : columns_(columns), steps_(values.size()) {
  for (std::size_t at = 0; at < values.size(); at += columns)
    scales_.push_back(quantize(values.subspan(at, columns), std::span(steps_).subspan(at, columns)));
  sum_rows();
}

Result<ByteMatrix> ByteMatrix::read(const TensorFile& file, const std::string& name, std::size_t columns) {
  ByteMatrix matrix;
  matrix.columns_ = columns;
  const auto shape = file.shape(name + ".scales");
  const std::size_t rows = shape.empty() ? 0 : shape[0];
  KEFU_ASSIGN(const auto scales, file.get<float>(name + ".scales", {rows}));
  KEFU_ASSIGN(const auto steps, file.get<std::int8_t>(name + ".rows", {rows, columns}));
  matrix.scales_.assign(scales.begin(), scales.end());
  matrix.steps_.assign(steps.begin(), steps.end());
  matrix.sum_rows();
  return matrix;
}

void ByteMatrix::write(TensorFileWriter& file, const std::string& name) const {
  file.add(name + ".scales", {rows()}, scales_);
  file.add(name + ".rows", {rows(), columns_}, steps_);
}

void ByteMatrix::sum_rows() {
  for (std::size_t at = 0; at < steps_.size(); at += columns_) {
    const auto row = std::span(steps_).subspan(at, columns_);
    offsets_.push_back(kMove * std::accumulate(row.begin(), row.end(), std::int32_t{0}));
  }
}

void ByteMatrix::multiply(const ByteVector& vector, std::size_t first, std::span<float> out) const {
  std::array<std::int32_t, kRows> products;
  for (std::size_t begin = 0; begin < out.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, out.size() - begin);
    const std::size_t row = first + begin;
    multiply_bytes(vector.steps_.data(), steps_.data() + row * columns_, columns_, count, products.data());
    for (std::size_t i = 0; i < count; ++i) {
      out[begin + i] =
          static_cast<float>(products[i] - offsets_[row + i]) * scales_[row + i] * vector.scale_;
    }
  }
}

void ByteMatrix::add_row(std::size_t row, float factor, std::span<float> out) const {
  const std::int8_t* steps = steps_.data() + row * columns_;
  const float scale = factor * scales_[row];
  for (std::size_t i = 0; i < columns_; ++i) out[i] += scale * static_cast<float>(steps[i]);
}

}  // namespace kefu::nlu
