#pragma once
// The name of a reply: a digest of everything that it depends on.

#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#include "base/sha256.h"

namespace kefu::runtime {

struct CacheKey {
  Sha256::Digest digest{};

  auto operator<=>(const CacheKey&) const = default;
};

/// `KeyBuilder().add(tenant).add(model).add(input).finish()`. Each part counts with its length, so that
/// ("ab", "c") and ("a", "bc") differ. Where parts may be left out or repeated, their number is a part too.
class KeyBuilder {
 public:
  KeyBuilder& add(std::string_view part);
  KeyBuilder& add(std::uint64_t number);

  /// Once, as the last call.
  CacheKey finish() { return {digest_.finish()}; }

 private:
  void update_number(std::uint64_t number);

  Sha256 digest_;
};

}  // namespace kefu::runtime

/// A digest's first bytes are as good a hash as any.
template <>
struct std::hash<kefu::runtime::CacheKey> {
  std::size_t operator()(const kefu::runtime::CacheKey& key) const {
    std::size_t first = 0;
    std::memcpy(&first, key.digest.data(), sizeof(first));
    return first;
  }
};
