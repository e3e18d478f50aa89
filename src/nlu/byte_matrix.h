#pragma once
// Products of a matrix and vectors in 8 bits: a quarter of the memory that floats move, and 64 products an
// instruction where the CPU has VNNI.

#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor_file.h"

namespace kefu::nlu {

/// A vector in steps of 1/127 of its largest component.
class ByteVector {
 public:
  explicit ByteVector(std::span<const float> vector);

 private:
  friend class ByteMatrix;
  std::vector<std::uint8_t> steps_;  // moved up by 128: the kernel wants one side unsigned
  float scale_ = 0;                  // value of a step
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

  /// Products of the rows [first, first + out.size()) with a vector of columns() components.
  void multiply(const ByteVector& vector, std::size_t first, std::span<float> out) const;

  /// Adds a row times `factor` to `out` [columns].
  void add_row(std::size_t row, float factor, std::span<float> out) const;

 private:
  void sum_rows();

  std::size_t columns_ = 0;
  std::vector<std::int8_t> steps_;
  std::vector<float> scales_;          // value of a step
  std::vector<std::int32_t> offsets_;  // what the vector's move adds to each product
};

}  // namespace kefu::nlu
