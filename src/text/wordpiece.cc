#include "text/wordpiece.h"

namespace kefu::text {

WordPiece::WordPiece(const Vocabulary& vocabulary, Options options)
    : trie_(make_trie(vocabulary)), options_(std::move(options)), inside_(trie_.walk(options_.prefix)) {}

// The id of the longest piece at `begin`, -1 if none; `end` is the word's end on entry, the piece's on
// return.
TokenId WordPiece::longest_match(const Normalized& text, std::uint32_t begin, std::uint32_t& end,
                                 bool inside) const {
  PieceTrie::Node node = inside ? inside_ : PieceTrie::kRoot;
  TokenId best = -1;
  TokenId id = -1;
  const std::uint32_t word_end = end;
  for (std::uint32_t i = begin; node != PieceTrie::kNone && i < word_end && trie_.step(node, text[i], id);
       ++i) {
    if (id < 0) continue;
    best = id;
    end = i + 1;
  }
  return best;
}

void WordPiece::encode(const Normalized& text, Span piece, Encoding& out) const {
  const std::size_t tokens_before = out.ids.size();
  bool unknown = piece.end - piece.begin > options_.max_word;
  for (std::uint32_t begin = piece.begin; begin < piece.end && !unknown;) {
    std::uint32_t end = piece.end;
    const TokenId id = longest_match(text, begin, end, begin > piece.begin);
    if (id < 0) {
      unknown = true;
    } else {
      put_token(id, text, begin, end, out);
      begin = end;
    }
  }
  if (!unknown) return;
  out.ids.resize(tokens_before);
  out.offsets.resize(tokens_before);
  put_token(options_.unknown_id, text, piece.begin, piece.end, out);
}

Result<std::unique_ptr<PieceModel>> load_wordpiece(const JsonNode& model, const Vocabulary& vocabulary) {
  WordPiece::Options options;
  KEFU_ASSIGN(const std::string_view unknown, model.string("unk_token", "[UNK]"));
  KEFU_ASSIGN(options.unknown_id, id_of_piece(unknown, vocabulary, model.where()));
  KEFU_ASSIGN(const std::int64_t max_word, model.integer("max_input_chars_per_word", 100));
  if (max_word < 1) return model.wrong("max_input_chars_per_word", "positive number");
  options.max_word = static_cast<std::size_t>(max_word);
  KEFU_ASSIGN(const std::string_view prefix, model.string("continuing_subword_prefix", "##"));
  options.prefix = decode_utf8(prefix);
  return std::make_unique<WordPiece>(vocabulary, std::move(options));
}

}  // namespace kefu::text
