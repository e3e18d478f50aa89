#include "nlu/byte_matrix.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

/// Whole numbers up to 127, the largest among them: the steps hold them exactly.
std::vector<float> whole_numbers(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(size);
  for (float& value : out) value = static_cast<float>(static_cast<int>(random() % 255) - 127);
  if (size > 0) out[random() % size] = -127;
  return out;
}

std::vector<float> rows_of(std::size_t rows, std::size_t columns) {
  std::vector<float> out;
  for (unsigned r = 0; r < rows; ++r) {
    const auto row = whole_numbers(columns, r + 1);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

TEST(ByteMatrix, WholeNumbersMultiplyExactlyAtEveryLength) {
  for (std::size_t columns = 1; columns < 200; ++columns) {
    const std::size_t rows = columns % 11 + 1;
    const auto values = rows_of(rows, columns);
    const auto vector = whole_numbers(columns, 99);
    std::vector<float> found(rows);
    ByteMatrix(values, columns).multiply(ByteVector(vector), 0, found);
    for (std::size_t r = 0; r < rows; ++r) {
      double expected = 0;
      for (std::size_t i = 0; i < columns; ++i) expected += static_cast<double>(vector[i]) * values[r * columns + i];
      ASSERT_NEAR(found[r], expected, 1e-5 * std::abs(expected) + 1e-3) << columns << " columns, row " << r;
    }
  }
}

TEST(ByteMatrix, APartOfTheRowsIsThatPartOfTheProduct) {
  const auto values = rows_of(300, 16);
  const ByteMatrix matrix(values, 16);
  const ByteVector vector(whole_numbers(16, 99));
  std::vector<float> all(300);
  matrix.multiply(vector, 0, all);
  for (const std::size_t first : {0U, 1U, 63U, 64U, 250U}) {
    std::vector<float> part(50);
    matrix.multiply(vector, first, part);
    for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], all[first + i]);
  }
}

TEST(ByteMatrix, ZeroStaysZero) {
  const std::vector<float> zero(8, 0.0F);
  std::vector<float> out(1, 7.0F);
  ByteMatrix(zero, 8).multiply(ByteVector(whole_numbers(8, 1)), 0, out);
  EXPECT_EQ(out[0], 0);
  ByteMatrix(whole_numbers(8, 1), 8).multiply(ByteVector(zero), 0, out);
  EXPECT_EQ(out[0], 0);
}

}  // namespace
}  // namespace kefu::nlu
