#pragma once

#include "text/pre_tokenizer.h"

namespace kefu::text {

enum class PrependScheme { kAlways, kFirst, kNever };

/// Spaces become the replacement, which is put before a piece that does not start with it; with `split`,
/// every replacement starts a piece.
class Metaspace : public PreTokenizer {
 public:
  Metaspace(char32_t replacement, PrependScheme scheme, bool split)
      : replacement_(replacement), scheme_(scheme), split_(split) {}
  void apply(Normalized& text, Pieces& pieces) const override;

 private:
  bool needs_prefix(const Normalized& text, Span piece, bool cut) const;

  char32_t replacement_;
  PrependScheme scheme_;
  bool split_;
};

Result<void> load_metaspace(const JsonNode& node, PreTokenizers& out);

}  // namespace kefu::text
