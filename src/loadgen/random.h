#pragma once
// Numbers that a seed determines on every machine: the standard's distributions and std::shuffle may differ
// between libraries, its engine may not.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace kefu::loadgen {

using Random = std::mt19937_64;

/// In [0, 1), of 53 bits.
inline double uniform(Random& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

/// The numbers 0 to count - 1 in random order.
inline std::vector<std::uint32_t> permutation(std::size_t count, Random& random) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    order[i] = i;
    std::swap(order[i], order[random() % (i + 1)]);
  }
  return order;
}

}  // namespace kefu::loadgen
