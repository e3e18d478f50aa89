#pragma once

#include "text/merge_table.h"
#include "text/piece_model.h"
#include "text/piece_trie.h"

namespace kefu::text {

/// Byte pair encoding: starts from code points (bytes in GPT-2's alphabet after ByteLevel) and applies the
/// merge of the lowest rank, leftmost first, until none applies. O(n log n).
/// A code point that is no piece becomes its bytes `<0x..>` (byte fallback), else the unknown token, else
/// nothing.
class Bpe : public PieceModel {
 public:
  struct Options {
    TokenId unknown_id = -1;  // -1: none
    bool fuse_unknown = false;
    bool ignore_merges = false;  // a piece of the vocabulary is taken whole
    bool byte_fallback = false;
  };

  Bpe(const Vocabulary& vocabulary, MergeTable merges, Options options);

  void encode(const Normalized& text, Span piece, Encoding& out) const override;
  TokenId unknown_id() const override { return options_.unknown_id; }

 private:
  struct Symbol {
    TokenId id;
    std::uint32_t begin;  // code points of the normalised text
    std::uint32_t end;
    std::int32_t previous;  // symbol, -1 at the ends
    std::int32_t next;
  };
  using Symbols = std::vector<Symbol>;

  void put_symbols(const Normalized& text, Span piece, Symbols& symbols) const;
  void put_unknown(const Normalized& text, std::uint32_t at, Symbols& symbols) const;
  void merge_short(Symbols& symbols) const;
  void merge_long(Symbols& symbols) const;

  PieceTrie trie_;
  MergeTable merges_;
  Options options_;
  std::vector<TokenId> byte_ids_;
};

/// Requires the vocabulary loaded.
Result<std::unique_ptr<PieceModel>> load_bpe(const JsonNode& model, const Vocabulary& vocabulary);

}  // namespace kefu::text
