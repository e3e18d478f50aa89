#include "text/piece_trie.h"

#include <algorithm>
#include <bit>

namespace kefu::text {

PieceTrie::PieceTrie(std::size_t expected_pieces) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, expected_pieces * 3));
  slots_.assign(size, Slot{});
  mask_ = size - 1;
  shift_ = 64 - std::countr_zero(size);
}

void PieceTrie::insert(std::u32string_view piece, TokenId id) {
  Node node = kRoot;
  for (std::size_t i = 0; i < piece.size(); ++i) node = add_step(node, piece[i], id, i + 1 == piece.size());
}

PieceTrie::Node PieceTrie::add_step(Node node, char32_t code_point, TokenId id, bool last) {
  if (node == kRoot && code_point < kRootSize) {
    First& first = root_[code_point];
    if (first.child == kNone) first.child = nodes_++;
    if (last) first.id = id;
    return first.child;
  }
  if (used_ * 4 >= slots_.size() * 3) grow();
  const std::uint64_t key = edge(node, code_point);
  std::size_t at = hash(key);
  while (slots_[at].key != key && slots_[at].key != kFree) at = (at + 1) & mask_;
  Slot& slot = slots_[at];
  if (slot.key == kFree) {
    slot = {key, nodes_++, -1};
    ++used_;
  }
  if (last) slot.id = id;
  return slot.child;
}

void PieceTrie::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  --shift_;
  for (const Slot& slot : old) {
    if (slot.key == kFree) continue;
    std::size_t at = hash(slot.key);
    while (slots_[at].key != kFree) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

PieceTrie::Node PieceTrie::walk(std::u32string_view text) const {
  Node node = kRoot;
  TokenId id = -1;
  for (const char32_t c : text) {
    if (!step(node, c, id)) return kNone;
  }
  return node;
}

TokenId PieceTrie::find(std::u32string_view piece) const {
  Node node = kRoot;
  TokenId id = -1;
  for (const char32_t c : piece) {
    if (!step(node, c, id)) return -1;
  }
  return id;
}

PieceTrie make_trie(const Vocabulary& vocabulary) {
  PieceTrie trie(vocabulary.size());
  std::u32string piece;
  for (TokenId id = 0; vocabulary.contains(id); ++id) {
    if (vocabulary.is_special(id)) continue;
    decode_utf8(vocabulary.piece(id), piece);
    trie.insert(piece, id);
  }
  return trie;
}

}  // namespace kefu::text
