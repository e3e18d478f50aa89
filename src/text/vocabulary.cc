#include "text/vocabulary.h"

namespace kefu::text {

namespace {
constexpr std::int64_t kMaxPieces = 1 << 24;
}  // namespace

Result<void> Vocabulary::set(std::int64_t id, std::string_view piece, std::string_view where) {
  if (id < 0 || id >= kMaxPieces) {
    return fail(Code::kInvalidArgument,
                "{}: the id {} of \"{}\" is not between 0 and {}: renumber the vocabulary", where, id, piece,
                kMaxPieces - 1);
  }
  const auto index = static_cast<std::size_t>(id);
  if (index >= size()) {
    begin_.resize(index + 1, 0);
    length_.resize(index + 1, 0);
    special_.resize(index + 1, false);
  }
  begin_[index] = static_cast<std::uint32_t>(bytes_.size());
  length_[index] = static_cast<std::uint32_t>(piece.size());
  bytes_.append(piece);
  return {};
}

void Vocabulary::reserve(std::size_t pieces, std::size_t bytes) {
  bytes_.reserve(bytes);
  begin_.reserve(pieces);
  length_.reserve(pieces);
  special_.reserve(pieces);
}

std::string_view Vocabulary::piece(TokenId id) const {
  if (!contains(id)) return {};
  const auto index = static_cast<std::size_t>(id);
  return std::string_view(bytes_).substr(begin_[index], length_[index]);
}

std::unordered_map<std::string_view, TokenId> Vocabulary::index() const {
  std::unordered_map<std::string_view, TokenId> ids;
  ids.reserve(size());
  for (TokenId id = 0; contains(id); ++id) {
    if (!piece(id).empty()) ids[piece(id)] = id;
  }
  return ids;
}

Result<void> load_added_tokens(const JsonNode& root, Vocabulary& vocabulary) {
  if (!root.has("added_tokens")) return {};
  KEFU_ASSIGN(const std::vector<JsonNode> tokens, root.list("added_tokens"));
  for (const JsonNode& token : tokens) {
    KEFU_ASSIGN(const std::string_view content, token.string("content"));
    KEFU_ASSIGN(const std::int64_t id, token.integer("id"));
    KEFU_ASSIGN(const bool special, token.boolean("special", false));
    if (!special) {
      return token.unsupported(fmt::format("the added token \"{}\" with \"special\": false", content),
                               "remove it, or move its piece into the model's vocabulary");
    }
    KEFU_CHECK(vocabulary.set(id, content, token.where()));
    vocabulary.make_special(static_cast<TokenId>(id));
  }
  return {};
}

Result<void> load_piece_ids(const JsonNode& model, Vocabulary& vocabulary) {
  simdjson::dom::object pieces;
  if (model.value()["vocab"].get(pieces) != simdjson::SUCCESS)
    return model.wrong("vocab", "map from piece to id");
  const std::string where = model.where() + ".vocab";
  for (const auto& [piece, value] : pieces) {
    std::int64_t id = -1;
    if (value.get(id) != simdjson::SUCCESS) return model.wrong("vocab", "map from piece to id");
    KEFU_CHECK(vocabulary.set(id, piece, where));
  }
  return {};
}

}  // namespace kefu::text
