#include "text/piece_model.h"

#include "text/bpe.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace kefu::text {
namespace {

// Files of old versions leave the type out.
std::string_view guess_type(const JsonNode& model) {
  if (model.has("merges")) return "BPE";
  return model.has("unk_id") ? "Unigram" : "WordPiece";
}

}  // namespace

Result<std::unique_ptr<PieceModel>> load_model(const JsonNode& root, Vocabulary& vocabulary) {
  KEFU_ASSIGN(const JsonNode model, root.at("model"));
  KEFU_ASSIGN(const std::string_view type, model.string("type", guess_type(model)));
  if (type == "Unigram") return load_unigram(root, model, vocabulary);
  if (type != "WordPiece" && type != "BPE") {
    return model.unsupported(fmt::format("a model \"{}\"", type), "known are Unigram, WordPiece, BPE");
  }
  KEFU_CHECK(load_piece_ids(model, vocabulary));
  KEFU_CHECK(load_added_tokens(root, vocabulary));
  if (type == "BPE") return load_bpe(model, vocabulary);
  return load_wordpiece(model, vocabulary);
}

Result<TokenId> id_of_piece(std::string_view piece, const Vocabulary& vocabulary, std::string_view where) {
  for (TokenId id = 0; vocabulary.contains(id); ++id) {
    if (!piece.empty() && vocabulary.piece(id) == piece) return id;
  }
  return fail(Code::kInvalidArgument, "{}: the piece \"{}\" is not in the vocabulary: add it", where, piece);
}

}  // namespace kefu::text
