#pragma once
// The pieces a pre-tokeniser cuts a text into, and the rules for the code points it cuts at.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/normalized.h"

namespace kefu::text {

/// Ranges of a Normalized, ascending, none empty.
struct Pieces {
  std::vector<Span> ranges;
  bool cut = false;  // false: one piece, the whole text
};

/// What becomes of a match (a delimiter): the names are those of Hugging Face.
enum class Behavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

Result<Behavior> parse_behavior(std::string_view name, std::string_view where);

/// A part of a piece; the parts of a piece cover it, in order.
struct Part {
  std::uint32_t begin;
  std::uint32_t end;
  bool is_match;
};

/// Appends the pieces that `parts` leave under `behavior`.
void append_pieces(Behavior behavior, const std::vector<Part>& parts, std::vector<Span>& out);

/// Cuts every piece: `find(begin, end, parts)` appends the parts of one.
template <typename Find>
void cut_pieces(Pieces& pieces, Behavior behavior, Find find) {
  static thread_local std::vector<Part> parts;
  static thread_local std::vector<Span> ranges;
  ranges.clear();
  for (const Span piece : pieces.ranges) {
    parts.clear();
    find(piece.begin, piece.end, parts);
    append_pieces(behavior, parts, ranges);
  }
  pieces.ranges.swap(ranges);
  pieces.cut = true;
}

}  // namespace kefu::text
