#include "nlu/byte_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <Eigen/Core>
#include <immintrin.h>

namespace kefu::nlu {
namespace {

constexpr float kSteps = 127;
constexpr std::int32_t kMove = 128;
constexpr std::size_t kLine = 64;
constexpr std::size_t kVectors = 4;  // of a block of products
constexpr std::size_t kRows = 64;
using Block = std::array<std::array<std::int32_t, kRows>, kVectors>;

std::size_t lines_for(std::size_t columns) {
  return (columns + kLine - 1) / kLine;
}

/// Sets out[i] to the step of vector[i]; returns the value of a step.
float quantize(std::span<const float> vector, std::span<std::int8_t> out) {
  const float largest = Eigen::Map<const Eigen::ArrayXf>(vector.data(), std::ssize(vector)).abs().maxCoeff();
  if (!(largest >= kSteps * std::numeric_limits<float>::min())) {
    std::ranges::fill(out, std::int8_t{0});
    return 0;
  }
  const float inverse = kSteps / largest;
  for (std::size_t i = 0; i < vector.size(); ++i)
    out[i] = static_cast<std::int8_t>(std::nearbyint(vector[i] * inverse));
  return largest / kSteps;
}

constexpr std::size_t kTogether = 4;  // rows whose sums are in registers

/// Stores the sum of each register's elements.
[[gnu::target("avx512f")]] inline void add_up(const __m512i (&sums)[kTogether], std::int32_t* out) {
  __m256i halves[kTogether];
  for (std::size_t r = 0; r < kTogether; ++r) {
    // The masked form: the plain ones of gcc 12's header read a variable that is not set.
    halves[r] = _mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xF, sums[r], 0),
                                 _mm512_maskz_extracti64x4_epi64(0xF, sums[r], 1));
  }
  const __m256i pairs =
      _mm256_hadd_epi32(_mm256_hadd_epi32(halves[0], halves[1]), _mm256_hadd_epi32(halves[2], halves[3]));
  const __m128i all = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), all);
}

/// Products of `Vectors` vectors and `count` rows, at most kRows, of `size` bytes each, whole lines.
template <std::size_t Vectors>
[[gnu::target("avx512vnni")]] void multiply_vnni(const std::uint8_t* vectors, const std::int8_t* rows,
                                                 std::size_t size, std::size_t count, Block& out) {
  for (std::size_t first = 0; first < count; first += kTogether) {
    const std::int8_t* row[kTogether];
    for (std::size_t r = 0; r < kTogether; ++r) row[r] = rows + std::min(first + r, count - 1) * size;
    __m512i sums[Vectors][kTogether] = {};
    for (std::size_t i = 0; i < size; i += kLine) {
      for (std::size_t r = 0; r < kTogether; ++r) {
        const __m512i line = _mm512_load_si512(row[r] + i);
        for (std::size_t v = 0; v < Vectors; ++v)
          sums[v][r] = _mm512_dpbusd_epi32(sums[v][r], _mm512_load_si512(vectors + v * size + i), line);
      }
    }
    for (std::size_t v = 0; v < Vectors; ++v) add_up(sums[v], &out[v][first]);
  }
}

template <std::size_t Vectors>
void multiply_any(const std::uint8_t* vectors, const std::int8_t* rows, std::size_t size, std::size_t count,
                  Block& out) {
  for (std::size_t v = 0; v < Vectors; ++v) {
    for (std::size_t r = 0; r < count; ++r) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < size; ++i)
        sum += static_cast<std::int32_t>(vectors[v * size + i]) * rows[r * size + i];
      out[v][r] = sum;
    }
  }
}

const bool has_vnni = __builtin_cpu_supports("avx512vnni");
const auto multiply_one = has_vnni ? multiply_vnni<1> : multiply_any<1>;
const auto multiply_block = has_vnni ? multiply_vnni<kVectors> : multiply_any<kVectors>;

}  // namespace

ByteVectors::ByteVectors(std::span<const float> values, std::size_t columns)
    : lines_(values.size() / columns * lines_for(columns)), scales_(values.size() / columns) {
  std::vector<std::int8_t> steps(columns);
  for (std::size_t v = 0; v < size(); ++v) {
    scales_[v] = quantize(values.subspan(v * columns, columns), steps);
    std::uint8_t* out = lines_[v * lines_for(columns)].steps.data();
    for (std::size_t i = 0; i < columns; ++i) out[i] = static_cast<std::uint8_t>(steps[i] + kMove);
  }
}

ByteMatrix::ByteMatrix(std::size_t rows, std::size_t columns)
    : columns_(columns), width_(lines_for(columns)), lines_(rows * width_), scales_(rows) {}

ByteMatrix::ByteMatrix(std::span<const float> values, std::size_t columns)
    : ByteMatrix(columns == 0 ? 0 : values.size() / columns, columns) {
  for (std::size_t r = 0; r < rows(); ++r)
    scales_[r] = quantize(values.subspan(r * columns, columns), row(r));
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
    offsets_.push_back(kMove * std::accumulate(row(r).begin(), row(r).end(), std::int32_t{0}));
}

void ByteMatrix::multiply(const ByteVectors& vectors, std::size_t first, std::size_t count,
                          std::span<float> out) const {
  Block products{};
  for (std::size_t v = 0; v < vectors.size();) {
    const std::size_t together = v + kVectors <= vectors.size() ? kVectors : 1;
    const auto kernel = together == 1 ? multiply_one : multiply_block;
    for (std::size_t begin = 0; begin < count; begin += kRows) {
      const std::size_t rows = std::min(kRows, count - begin);
      kernel(vectors.lines_[v * width_].steps.data(), row(first + begin).data(), width_ * kLine, rows,
             products);
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
    __m256 sums[kLine / kFloats] = {};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const __m256 factor = _mm256_set1_ps(factors[r] * scales_[rows[r]]);
      const std::int8_t* steps = lines_[rows[r] * width_ + block].steps.data();
      for (std::size_t k = 0; k < std::size(sums); ++k) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(steps + k * kFloats));
        sums[k] = _mm256_fmadd_ps(factor, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)), sums[k]);
      }
    }
    std::array<float, kLine> found{};
    std::memcpy(found.data(), sums, sizeof(sums));
    const auto part = out.subspan(block * kLine, std::min(kLine, columns_ - block * kLine));
    for (std::size_t i = 0; i < part.size(); ++i) part[i] += found[i];
  }
}

}  // namespace kefu::nlu
