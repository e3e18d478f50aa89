#pragma once
// Products of bytes, the arithmetic of ByteMatrix, for a CPU with VNNI and for any other.

#include <array>
#include <cstddef>
#include <cstdint>

namespace kefu::nlu {

constexpr std::size_t kLineBytes = 64;  // a cache line; vectors and rows are whole ones, and begin at one
constexpr std::size_t kBlockVectors = 4;
constexpr std::size_t kBlockRows = 64;
using Products = std::array<std::array<std::int32_t, kBlockRows>, kBlockVectors>;  // [vectors, rows]

/// Sets out[v][r] to the product of vector v and row r, for `vector_count` vectors, 1 or kBlockVectors, and
/// `count` rows, at most kBlockRows, of `size` bytes each.
void multiply_bytes(const std::uint8_t* vectors, std::size_t vector_count, const std::int8_t* rows,
                    std::size_t count, std::size_t size, Products& out);

/// What multiply_bytes() does on a CPU without VNNI.
void multiply_bytes_plainly(const std::uint8_t* vectors, std::size_t vector_count, const std::int8_t* rows,
                            std::size_t count, std::size_t size, Products& out);

}  // namespace kefu::nlu
