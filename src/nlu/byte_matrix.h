#pragma once
// Products of a matrix and vectors in 8 bits: long rows move a quarter of the memory that floats do, and an
// instruction makes 64 products where the CPU has VNNI.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/tensor_file.h"
#include "nlu/byte_kernels.h"

namespace kefu::nlu {

/// A cache line of steps. Rows begin at one and end with zeros, so that neither reading nor arithmetic has
/// odd ends.
template <typename Step>
struct alignas(kLineBytes) StepLine {
  std::array<Step, kLineBytes> steps;
};

/// Vectors in steps of 1/127 of each one's largest component.
class ByteVectors {
 public:
  /// `values` [n, columns] row-major.
  ByteVectors(std::span<const float> values, std::size_t columns);

  std::size_t size() const { return scales_.size(); }

 private:
  friend class ByteMatrix;
  std::vector<StepLine<std::uint8_t>> lines_;  // zero is at 128
  std::vector<float> scales_;                  // values of a step
};

/// Rows in steps of 1/127 of the row's largest component. Immutable; any thread.
class ByteMatrix {
 public:
  ByteMatrix() = default;
  /// `values` [rows, columns] row-major.
  ByteMatrix(std::span<const float> values, std::size_t columns);

  static Result<ByteMatrix> read(const TensorFile& file, const std::string& name, std::size_t columns);
  void write(TensorFileWriter& file, const std::string& name) const;

  std::size_t rows() const { return scales_.size(); }
  std::size_t columns() const { return columns_; }

  /// Sets out [vectors, count] to the products of the vectors and the rows [first, first + count).
  void multiply(const ByteVectors& vectors, std::size_t first, std::size_t count, std::span<float> out) const;

  /// Adds the rows `rows[i]` times `factors[i]` to `out` [columns].
  void add_rows(std::span<const std::uint32_t> rows, std::span<const float> factors,
                std::span<float> out) const;
  /// Brings what add_rows() will read of a row into the cache.
  void prefetch(std::size_t row) const {
    for (std::size_t i = 0; i < width_; ++i) __builtin_prefetch(&lines_[row * width_ + i]);
    __builtin_prefetch(&scales_[row]);
  }

 private:
  ByteMatrix(std::size_t rows, std::size_t columns);
  std::span<std::int8_t> row(std::size_t number);
  std::span<const std::int8_t> row(std::size_t number) const;
  void sum_rows();

  std::size_t columns_ = 0;
  std::size_t width_ = 0;  // lines of a row
  std::vector<StepLine<std::int8_t>> lines_;
  std::vector<float> scales_;          // values of a step
  std::vector<std::int32_t> offsets_;  // what the vectors' zero point adds to each product
};

}  // namespace kefu::nlu
