#include "nlu/byte_matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include <Eigen/Core>
#include <immintrin.h>

namespace kefu::nlu {
namespace {

constexpr float kSteps = 127;
constexpr std::uint8_t kZeroPoint = 128;  // of vectors: the kernel wants one side unsigned

std::size_t lines_for(std::size_t columns) {
  return (columns + kLineBytes - 1) / kLineBytes;
}

/// Sets out[i] to the number of steps in vector[i], plus `zero`; returns the scale, the value of a step.
template <typename Step>
float quantize(std::span<const float> vector, Step zero, Step* out) {
  const float largest = Eigen::Map<const Eigen::ArrayXf>(vector.data(), std::ssize(vector)).abs().maxCoeff();
  if (!(largest >= kSteps * std::numeric_limits<float>::min())) {
    std::fill_n(out, vector.size(), zero);
    return 0;
  }
  // A float this large has whole numbers as its last bits: adding it rounds, in a loop that becomes vector
  // code.
  constexpr float kRounding = 1.5F * (1U << 23);
  const float inverse = kSteps / largest;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const auto steps = std::bit_cast<std::uint32_t>(vector[i] * inverse + kRounding);
    out[i] = static_cast<Step>(steps + static_cast<std::uint32_t>(zero));
  }
  return largest / kSteps;
}

}  // namespace

ByteVectors::ByteVectors(std::span<const float> values, std::size_t columns)
    : lines_(values.size() / columns * lines_for(columns)), scales_(values.size() / columns) {
  for (std::size_t v = 0; v < size(); ++v) {
    scales_[v] = quantize(values.subspan(v * columns, columns), kZeroPoint,
                          lines_[v * lines_for(columns)].steps.data());
  }
}

ByteMatrix::ByteMatrix(std::size_t rows, std::size_t columns)
    : columns_(columns), width_(lines_for(columns)), lines_(rows * width_), scales_(rows) {}

ByteMatrix::ByteMatrix(std::span<const float> values, std::size_t columns)
    : ByteMatrix(columns == 0 ? 0 : values.size() / columns, columns) {
  for (std::size_t r = 0; r < rows(); ++r)
    scales_[r] = quantize(values.subspan(r * columns, columns), std::int8_t{0}, row(r).data());
  sum_rows();
}

Result<ByteMatrix> ByteMatrix::read(const TensorFile& file, const std::string& name, std::size_t columns) {
  const auto shape = file.shape(name + ".scales");
  const std::size_t rows = shape.empty() ? 0 : shape[0];
  KEFU_ASSIGN(const auto scales, file.get<float>(name + ".scales", {rows}));
  KEFU_ASSIGN(const auto steps, file.get<std::int8_t>(name + ".rows", {rows, columns}));
  ByteMatrix matrix(rows, columns);
  matrix.scales_.assign(scales.begin(), scales.end());
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    std::ranges::copy(steps.subspan(r * columns, columns), matrix.row(r).begin());
  matrix.sum_rows();
  return matrix;
}

void ByteMatrix::write(TensorFileWriter& file, const std::string& name) const {
  std::vector<std::int8_t> steps;
  for (std::size_t r = 0; r < rows(); ++r) steps.insert(steps.end(), row(r).begin(), row(r).end());
  file.add(name + ".scales", {rows()}, scales_);
  file.add(name + ".rows", {rows(), columns_}, steps);
}

std::span<std::int8_t> ByteMatrix::row(std::size_t number) {
  return {lines_[number * width_].steps.data(), columns_};
}

std::span<const std::int8_t> ByteMatrix::row(std::size_t number) const {
  return {lines_[number * width_].steps.data(), columns_};
}

void ByteMatrix::sum_rows() {
  for (std::size_t r = 0; r < rows(); ++r)
    offsets_.push_back(std::int32_t{kZeroPoint} *
                       std::accumulate(row(r).begin(), row(r).end(), std::int32_t{0}));
}

void ByteMatrix::multiply(const ByteVectors& vectors, std::size_t first, std::size_t count,
                          std::span<float> out) const {
  Products products;
  for (std::size_t v = 0; v < vectors.size();) {
    const std::size_t together = v + kBlockVectors <= vectors.size() ? kBlockVectors : 1;
    for (std::size_t begin = 0; begin < count; begin += kBlockRows) {
      const std::size_t rows = std::min(kBlockRows, count - begin);
      multiply_bytes(vectors.lines_[v * width_].steps.data(), together, row(first + begin).data(), rows,
                     width_ * kLineBytes, products);
      for (std::size_t i = 0; i < together; ++i) {
        const float scale = vectors.scales_[v + i];
        float* to = &out[(v + i) * count + begin];
        for (std::size_t r = 0; r < rows; ++r)
          to[r] = static_cast<float>(products[i][r] - offsets_[first + begin + r]) *
                  (scales_[first + begin + r] * scale);
      }
    }
    v += together;
  }
}

void ByteMatrix::add_rows(std::span<const std::uint32_t> rows, std::span<const float> factors,
                          std::span<float> out) const {
  constexpr std::size_t kFloats = sizeof(__m256) / sizeof(float);
  for (std::size_t block = 0; block < width_; ++block) {
    __m256 sums[kLineBytes / kFloats] = {};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const __m256 factor = _mm256_set1_ps(factors[r] * scales_[rows[r]]);
      const std::int8_t* steps = lines_[rows[r] * width_ + block].steps.data();
      for (std::size_t k = 0; k < std::size(sums); ++k) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(steps + k * kFloats));
        sums[k] = _mm256_fmadd_ps(factor, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)), sums[k]);
      }
    }
    std::array<float, kLineBytes> found{};
    std::memcpy(found.data(), sums, sizeof(sums));
    const auto part = out.subspan(block * kLineBytes, std::min(kLineBytes, columns_ - block * kLineBytes));
    for (std::size_t i = 0; i < part.size(); ++i) part[i] += found[i];
  }
}

}  // namespace kefu::nlu
