#include "nlu/byte_kernels.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kefu::nlu {
namespace {

template <typename Byte>
struct alignas(kLineBytes) AlignedLine {
  std::array<Byte, kLineBytes> bytes;
};

/// Random bytes with the extremes among them.
template <typename Byte>
std::vector<AlignedLine<Byte>> random_lines(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<AlignedLine<Byte>> lines(count);
  for (auto& line : lines) {
    for (Byte& byte : line.bytes)
      byte = static_cast<Byte>(random() % 8 == 0 ? 0x80 : random() % 8 == 1 ? 0xFF : random());
  }
  return lines;
}

/// On a CPU without VNNI both are the same, and only the sums below are checked.
TEST(ByteKernels, EveryKernelMakesTheSameSums) {
  for (const std::size_t width : {1U, 2U, 6U}) {
    for (const std::size_t vectors : {std::size_t{1}, kBlockVectors}) {
      for (const std::size_t count : {1U, 3U, 4U, 5U, 63U, 64U}) {
        const auto a = random_lines<std::uint8_t>(vectors * width, 1);
        const auto b = random_lines<std::int8_t>(count * width, 2);
        const std::size_t size = width * kLineBytes;
        Products fast{};
        Products plain{};
        multiply_bytes(a[0].bytes.data(), vectors, b[0].bytes.data(), count, size, fast);
        multiply_bytes_plainly(a[0].bytes.data(), vectors, b[0].bytes.data(), count, size, plain);
        for (std::size_t v = 0; v < vectors; ++v) {
          for (std::size_t r = 0; r < count; ++r) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < size; ++i)
              sum += a[v * width + i / kLineBytes].bytes[i % kLineBytes] *
                     b[r * width + i / kLineBytes].bytes[i % kLineBytes];
            ASSERT_EQ(fast[v][r], sum);
            ASSERT_EQ(plain[v][r], sum);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace kefu::nlu
