#pragma once

#include "text/piece_model.h"
#include "text/piece_trie.h"

namespace kefu::text {

/// Greedy longest match from the left; pieces inside a word carry a prefix (`##`). A word with a part that is
/// no piece, or longer than `max_word` code points, is one unknown token.
class WordPiece : public PieceModel {
 public:
  struct Options {
    TokenId unknown_id = 0;
    std::size_t max_word = 100;
    std::u32string prefix = U"##";
  };

  WordPiece(const Vocabulary& vocabulary, Options options);

  void encode(const Normalized& text, Span piece, Encoding& out) const override;
  TokenId unknown_id() const override { return options_.unknown_id; }

 private:
  TokenId longest_match(const Normalized& text, std::uint32_t begin, std::uint32_t& end, bool inside) const;

  PieceTrie trie_;
  Options options_;
  PieceTrie::Node inside_;  // behind the prefix
};

/// Requires the vocabulary loaded.
Result<std::unique_ptr<PieceModel>> load_wordpiece(const JsonNode& model, const Vocabulary& vocabulary);

}  // namespace kefu::text
