#pragma once
// What the rows of a request are to those who do not look into them.

#include <cstdint>

#include <absl/container/inlined_vector.h>

namespace kefu::runtime {

/// The tokens of each row; most requests have few rows.
using RowTokens = absl::InlinedVector<std::uint32_t, 4>;

}  // namespace kefu::runtime
