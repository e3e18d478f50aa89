#include <charconv>
#include <cmath>

#include "text/unigram.h"

namespace kefu::text {
namespace {

Result<std::vector<double>> load_pieces(const JsonNode& model, Vocabulary& vocabulary) {
  simdjson::dom::array pieces;
  if (model.value()["vocab"].get(pieces) != simdjson::SUCCESS)
    return model.wrong("vocab", "list of [piece, score]");
  const std::string where = model.where() + ".vocab";
  std::vector<double> scores;
  vocabulary.reserve(pieces.size(), pieces.size() * 12);
  scores.reserve(pieces.size());
  for (const simdjson::dom::element entry : pieces) {
    simdjson::dom::array pair;
    if (entry.get(pair) != simdjson::SUCCESS || pair.size() != 2)
      return model.wrong("vocab", "list of [piece, score]");
    std::string_view piece;
    double score = 0;
    if (pair.at(0).get(piece) != simdjson::SUCCESS || pair.at(1).get(score) != simdjson::SUCCESS) {
      return model.wrong("vocab", "list of [piece, score]");
    }
    KEFU_CHECK(vocabulary.set(static_cast<std::int64_t>(scores.size()), piece, where));
    scores.push_back(round_like_hugging_face(score));
  }
  return scores;
}

}  // namespace

double round_like_hugging_face(double score) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, std::abs(score), std::chars_format::scientific);
  if (error != std::errc{} || !std::isfinite(score)) return score;
  std::uint64_t digits = 0;
  int exponent = 0;
  const char* at = text;
  for (bool fraction = false; at < end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
    } else {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      exponent -= fraction;
    }
  }
  int power = 0;
  if (at + 2 < end) std::from_chars(at + 2, end, power);
  exponent += at + 1 < end && at[1] == '-' ? -power : power;
  const double scale = std::pow(10.0, std::abs(exponent));
  const double value =
      exponent < 0 ? static_cast<double>(digits) / scale : static_cast<double>(digits) * scale;
  return std::copysign(value, score);
}

std::vector<TokenId> find_byte_pieces(const Vocabulary& vocabulary) {
  std::vector<TokenId> ids(256, -1);
  const auto index = vocabulary.index();
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto found = index.find(fmt::format("<0x{:02X}>", byte));
    if (found != index.end()) ids[byte] = found->second;
  }
  return ids;
}

Result<std::unique_ptr<PieceModel>> load_unigram(const JsonNode& root, const JsonNode& model,
                                                 Vocabulary& vocabulary) {
  KEFU_ASSIGN(std::vector<double> scores, load_pieces(model, vocabulary));
  KEFU_ASSIGN(const std::int64_t unknown, model.integer("unk_id"));
  KEFU_ASSIGN(const bool byte_fallback, model.boolean("byte_fallback", false));
  if (unknown < 0 || unknown >= static_cast<std::int64_t>(scores.size())) {
    return model.wrong("unk_id", "number of a piece");
  }
  KEFU_CHECK(load_added_tokens(root, vocabulary));
  const auto unknown_id = static_cast<TokenId>(unknown);
  vocabulary.make_special(unknown_id);
  scores.resize(vocabulary.size(), 0.0);
  return std::make_unique<Unigram>(
      vocabulary, std::move(scores),
      Unigram::Options{.unknown_id = unknown_id, .byte_fallback = byte_fallback});
}

}  // namespace kefu::text
