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

TEST(ByteMatrix, WholeNumbersMultiplyExactlyAtEverySize) {
  for (std::size_t columns = 1; columns < 200; ++columns) {
    const std::size_t rows = columns % 7 == 0 ? 64 + columns : columns % 11 + 1;
    const std::size_t vectors = columns % 9 + 1;
    const auto a = rows_of(vectors, columns);
    const auto b = rows_of(rows, columns);
    std::vector<float> found(vectors * rows);
    ByteMatrix(b, columns).multiply(ByteVectors(a, columns), 0, rows, found);
    for (std::size_t at = 0; at < found.size(); ++at) {
      double expected = 0;
      for (std::size_t i = 0; i < columns; ++i)
        expected += static_cast<double>(a[at / rows * columns + i]) * b[at % rows * columns + i];
      ASSERT_EQ(static_cast<double>(found[at]), expected) << columns << " columns, at " << at;
    }
  }
}

TEST(ByteMatrix, APartOfTheRowsIsThatPartOfTheProduct) {
  const ByteMatrix matrix(rows_of(300, 16), 16);
  const ByteVectors vector(whole_numbers(16, 99), 16);
  std::vector<float> all(300);
  matrix.multiply(vector, 0, all.size(), all);
  for (const std::size_t first : {0U, 1U, 63U, 64U, 249U}) {
    std::vector<float> part(51);
    matrix.multiply(vector, first, part.size(), part);
    for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], all[first + i]);
  }
}

TEST(ByteMatrix, RowsAreAdded) {
  for (const std::size_t columns : {1U, 55U, 64U, 65U, 130U}) {
    const auto values = rows_of(3, columns);
    std::vector<float> out(columns, 1);
    ByteMatrix(values, columns).add_rows(std::vector<std::uint32_t>{2, 0}, std::vector<float>{0.5F, 2}, out);
    for (std::size_t i = 0; i < columns; ++i)
      ASSERT_NEAR(out[i], 1 + 0.5F * values[2 * columns + i] + 2 * values[i], 1e-3);
  }
}

TEST(ByteMatrix, ZeroStaysZero) {
  const std::vector<float> zero(8, 0.0F);
  const auto other = whole_numbers(8, 1);
  std::vector<float> out(1, 7.0F);
  ByteMatrix(zero, 8).multiply(ByteVectors(other, 8), 0, 1, out);
  EXPECT_EQ(out[0], 0);
  ByteMatrix(other, 8).multiply(ByteVectors(zero, 8), 0, 1, out);
  EXPECT_EQ(out[0], 0);
}

}  // namespace
}  // namespace kefu::nlu
