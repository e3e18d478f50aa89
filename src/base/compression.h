#pragma once
// gzip (RFC 1952) and zlib (RFC 1950, HTTP's "deflate").

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu {

enum class Packing { kGzip, kZlib };

/// Unpacks data of either form; of gzip all members, one after the other. kOutOfRange: it is more than
/// `limit` bytes, of which no more are made; kDataLoss: it is broken or ends too early.
Result<std::string> unpack(std::string_view packed, std::size_t limit);

/// Packs quickly rather than small.
std::string pack(std::string_view content, Packing packing);

}  // namespace kefu
