#include "text/merge_table.h"

#include <algorithm>
#include <bit>

namespace kefu::text {

MergeTable::MergeTable(std::size_t expected_merges)
    : slots_(std::bit_ceil(std::max<std::size_t>(16, expected_merges * 2))),
      shift_(64 - std::countr_zero(slots_.size())) {}

void MergeTable::add(TokenId left, TokenId right, Merge merge) {
  const std::uint64_t key = pair_key(left, right);
  std::size_t at = hash(key);
  while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, merge};
}

}  // namespace kefu::text
