#include "nlu/byte_kernels.h"

#include <algorithm>

#include <immintrin.h>

namespace kefu::nlu {
namespace {

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

template <std::size_t Vectors>
[[gnu::target("avx512vnni")]] void multiply_vnni(const std::uint8_t* vectors, const std::int8_t* rows,
                                                 std::size_t count, std::size_t size, Products& out) {
  for (std::size_t first = 0; first < count; first += kTogether) {
    const std::int8_t* row[kTogether];
    for (std::size_t r = 0; r < kTogether; ++r) row[r] = rows + std::min(first + r, count - 1) * size;
    __m512i sums[Vectors][kTogether] = {};
    for (std::size_t i = 0; i < size; i += kLineBytes) {
      for (std::size_t r = 0; r < kTogether; ++r) {
        const __m512i line = _mm512_load_si512(row[r] + i);
        for (std::size_t v = 0; v < Vectors; ++v)
          sums[v][r] = _mm512_dpbusd_epi32(sums[v][r], _mm512_load_si512(vectors + v * size + i), line);
      }
    }
    for (std::size_t v = 0; v < Vectors; ++v) add_up(sums[v], &out[v][first]);
  }
}

const bool has_vnni = __builtin_cpu_supports("avx512vnni");

}  // namespace

void multiply_bytes_plainly(const std::uint8_t* vectors, std::size_t vector_count, const std::int8_t* rows,
                            std::size_t count, std::size_t size, Products& out) {
  for (std::size_t v = 0; v < vector_count; ++v) {
    for (std::size_t r = 0; r < count; ++r) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < size; ++i)
        sum += static_cast<std::int32_t>(vectors[v * size + i]) * rows[r * size + i];
      out[v][r] = sum;
    }
  }
}

void multiply_bytes(const std::uint8_t* vectors, std::size_t vector_count, const std::int8_t* rows,
                    std::size_t count, std::size_t size, Products& out) {
  if (!has_vnni) return multiply_bytes_plainly(vectors, vector_count, rows, count, size, out);
  if (vector_count == 1) return multiply_vnni<1>(vectors, rows, count, size, out);
  multiply_vnni<kBlockVectors>(vectors, rows, count, size, out);
}

}  // namespace kefu::nlu
