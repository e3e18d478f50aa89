#pragma once
// The merges of a BPE model: (left id, right id) -> rank and merged id. Open addressing.

#include <cstdint>
#include <vector>

#include "text/tokenizer.h"

namespace kefu::text {

struct Merge {
  std::uint32_t rank = UINT32_MAX;  // UINT32_MAX: no merge
  TokenId merged = -1;
};

class MergeTable {
 public:
  explicit MergeTable(std::size_t expected_merges = 0);

  /// A later merge of the same pair replaces the earlier one. Requires no more merges than expected.
  void add(TokenId left, TokenId right, Merge merge);

  Merge find(TokenId left, TokenId right) const {
    const std::uint64_t key = pair_key(left, right);
    for (std::size_t at = hash(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return slots_[at].merge;
      if (slots_[at].key == kFree) return {};
    }
  }

 private:
  static constexpr std::uint64_t kFree = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge;
  };

  static std::uint64_t pair_key(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t hash(std::uint64_t key) const {
    key ^= key >> 29;
    return (key * 0x9E3779B97F4A7C15u) >> shift_;
  }

  std::vector<Slot> slots_;
  int shift_;
};

}  // namespace kefu::text
