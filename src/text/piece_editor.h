#pragma once

#include "text/pieces.h"

namespace kefu::text {

/// Writes a new version of the text piece by piece: `write(piece)` appends what becomes of a piece. The
/// pieces then refer to the new version; text between pieces is dropped.
template <typename Write>
void rewrite_pieces(Normalized& text, Pieces& pieces, Write write) {
  text.begin_edit(0);
  for (Span& piece : pieces.ranges) {
    const auto begin = static_cast<std::uint32_t>(text.edited_size());
    write(piece);
    piece = {begin, static_cast<std::uint32_t>(text.edited_size())};
  }
  text.commit();
}

}  // namespace kefu::text
