#pragma once

#include "text/piece_model.h"
#include "text/piece_trie.h"

namespace kefu::text {

/// The segmentation of the highest sum of scores (Viterbi; ties go to the earlier start of the last piece).
/// A code point that is no piece is unknown at the lowest score - 10; unknown neighbours are one token.
/// With byte fallback an unknown run becomes the pieces `<0x..>` of its bytes, if all of them exist.
class Unigram : public PieceModel {
 public:
  struct Options {
    TokenId unknown_id = 0;
    bool byte_fallback = false;
  };

  /// Requires a score for each piece and an unknown id of the vocabulary.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, Options options);

  void encode(const Normalized& text, Span piece, Encoding& out) const override;
  TokenId unknown_id() const override { return options_.unknown_id; }

 private:
  // The best way to reach the boundary before a code point.
  struct Best {
    double score;
    std::uint32_t begin;  // of the last token
    TokenId id;           // of the last token, -1: not reached
  };

  void find_best(std::u32string_view text, std::vector<Best>& best) const;
  void put_unknown(const Normalized& text, Span run, Encoding& out) const;

  PieceTrie trie_;
  std::vector<double> scores_;
  Options options_;
  double unknown_score_;
  std::vector<TokenId> byte_ids_;  // 256, or empty without byte fallback
};

/// The id of `<0x..>` for every byte, -1 where missing.
std::vector<TokenId> find_byte_pieces(const Vocabulary& vocabulary);

/// The value that the JSON reader behind Hugging Face (serde_json without `float_roundtrip`) gives to the
/// shortest decimal of `score`: digits, then one multiplication or division by a power of ten. It may be the
/// neighbour of the nearest double, which decides between equal sums such as `.`, `...` and `...`, `.`.
double round_like_hugging_face(double score);

Result<std::unique_ptr<PieceModel>> load_unigram(const JsonNode& root, const JsonNode& model,
                                                 Vocabulary& vocabulary);

}  // namespace kefu::text
