#pragma once
// Inner product of bytes, the whole cost of a neighbour search.

#include <cstddef>
#include <cstdint>

namespace kefu::nlu {

/// Sum of a[i] * b[i]; runs on VNNI where the CPU has it.
std::int32_t byte_dot(const std::uint8_t* a, const std::int8_t* b, std::size_t size);

}  // namespace kefu::nlu
