#include "text/pre_tokenizer_metaspace.h"

#include "text/piece_editor.h"

namespace kefu::text {

bool Metaspace::needs_prefix(const Normalized& text, Span piece, bool cut) const {
  if (scheme_ == PrependScheme::kNever || text[piece.begin] == replacement_) return false;
  const bool first = !cut || text.span(piece.begin).begin == 0;
  return scheme_ == PrependScheme::kAlways || first;
}

void Metaspace::apply(Normalized& text, Pieces& pieces) const {
  bool prefixes = false;
  for (const Span piece : pieces.ranges) {
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
      if (text[i] == U' ') text.set(i, replacement_);
    }
    prefixes |= needs_prefix(text, piece, pieces.cut);
  }
  if (prefixes) {
    rewrite_pieces(text, pieces, [&](Span piece) {
      if (needs_prefix(text, piece, pieces.cut)) text.put(replacement_, text.span(piece.begin));
      text.keep(piece.begin, piece.end);
    });
  }
  if (!split_) return;
  cut_pieces(pieces, Behavior::kIsolated,
             [&](std::uint32_t begin, std::uint32_t end, std::vector<Part>& parts) {
               std::uint32_t from = begin;
               for (std::uint32_t i = begin + 1; i < end; ++i) {
                 if (text[i] != replacement_) continue;
                 parts.push_back({from, i, false});
                 from = i;
               }
               parts.push_back({from, end, false});
             });
}

Result<void> load_metaspace(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const std::string_view text, node.string("replacement", "\u2581"));
  KEFU_ASSIGN(const std::string_view name, node.string("prepend_scheme", "always"));
  KEFU_ASSIGN(const bool add_prefix_space, node.boolean("add_prefix_space", true));
  KEFU_ASSIGN(const bool split, node.boolean("split", true));
  const std::u32string replacement = decode_utf8(text);
  if (replacement.size() != 1) return node.wrong("replacement", "single code point");
  PrependScheme scheme = PrependScheme::kAlways;
  if (name == "first") {
    scheme = PrependScheme::kFirst;
  } else if (name == "never" || !add_prefix_space) {
    scheme = PrependScheme::kNever;
  } else if (name != "always") {
    return node.unsupported(fmt::format("a prepend_scheme \"{}\"", name), "known are always, first, never");
  }
  out.push_back(std::make_unique<Metaspace>(replacement.front(), scheme, split));
  return {};
}

}  // namespace kefu::text
