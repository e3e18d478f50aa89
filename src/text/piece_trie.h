#pragma once
// Pieces by prefix: a trie over code points in one open-addressing hash table, a probe per code point.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace kefu::text {

class PieceTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = UINT32_MAX;

  PieceTrie() = default;
  explicit PieceTrie(std::size_t expected_pieces);

  /// Later insertions of the same piece win; the empty piece is ignored.
  void insert(std::u32string_view piece, TokenId id);

  /// Moves `node` along a code point; `id` becomes that of the piece ending there, or -1. False (and the
  /// node kNone) if no piece goes on like this.
  bool step(Node& node, char32_t code_point, TokenId& id) const {
    if (node == kRoot && code_point < kRootSize) {
      node = root_[code_point].child;
      id = root_[code_point].id;
      return node != kNone;
    }
    const std::uint64_t key = edge(node, code_point);
    for (std::size_t at = hash(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.key == key) {
        node = slot.child;
        id = slot.id;
        return true;
      }
      if (slot.key == kFree) {
        node = kNone;
        id = -1;
        return false;
      }
    }
  }

  /// The node behind a whole text, kNone if there is none.
  Node walk(std::u32string_view text) const;

  /// The id of exactly this piece, or -1.
  TokenId find(std::u32string_view piece) const;

 private:
  static constexpr std::uint64_t kFree = UINT64_MAX;
  static constexpr char32_t kRootSize = 0x10000;

  struct Slot {
    std::uint64_t key = kFree;
    Node child = kNone;
    TokenId id = -1;
  };
  struct First {
    Node child = kNone;
    TokenId id = -1;
  };

  static std::uint64_t edge(Node node, char32_t code_point) { return std::uint64_t{node} << 21 | code_point; }
  std::size_t hash(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  Node add_step(Node node, char32_t code_point, TokenId id, bool last);
  void grow();

  std::vector<First> root_ = std::vector<First>(kRootSize);  // edges of the root, by code point
  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t mask_ = 15;
  int shift_ = 60;
  std::size_t used_ = 0;
  Node nodes_ = 1;
};

/// All pieces that text may match.
PieceTrie make_trie(const Vocabulary& vocabulary);

}  // namespace kefu::text
