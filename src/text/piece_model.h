#pragma once
// The "model" of a tokenizer.json: cuts one piece of the pre-tokeniser into tokens.

#include <memory>

#include "text/normalized.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace kefu::text {

/// Immutable after loading; any number of threads may use one at once.
class PieceModel {
 public:
  virtual ~PieceModel() = default;

  /// Appends the tokens of text[piece]. Requires a piece that is not empty.
  virtual void encode(const Normalized& text, Span piece, Encoding& out) const = 0;

  virtual TokenId unknown_id() const = 0;
};

/// Appends a token for the code points [begin, end) of the normalised text.
inline void put_token(TokenId id, const Normalized& text, std::size_t begin, std::size_t end, Encoding& out) {
  out.ids.push_back(id);
  out.offsets.push_back({text.span(begin).begin, text.span(end - 1).end});
}

/// Loads `node` (the "model" object) and the added tokens of `root` into `vocabulary`.
Result<std::unique_ptr<PieceModel>> load_model(const JsonNode& root, Vocabulary& vocabulary);

/// The id of a piece that a key names; kInvalidArgument if the vocabulary lacks it.
Result<TokenId> id_of_piece(std::string_view piece, const Vocabulary& vocabulary, std::string_view where);

}  // namespace kefu::text
