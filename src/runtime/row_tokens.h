#pragma once
// What the rows of a request are to those who do not look into them.

#include <cstdint>

#include <boost/container/small_vector.hpp>

namespace kefu::runtime {

/// The tokens of each row; most requests have few rows.
using RowTokens = boost::container::small_vector<std::uint32_t, 4>;

}  // namespace kefu::runtime
