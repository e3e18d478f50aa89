#include "text/unigram.h"

#include <algorithm>
#include <limits>

namespace kefu::text {

namespace {
constexpr double kUnknownPenalty = 10.0;  // as in SentencePiece
constexpr std::size_t kKeptNodes = 1 << 16;
}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary, std::vector<double> scores, Options options)
    : trie_(make_trie(vocabulary)), scores_(std::move(scores)), options_(options) {
  unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
  if (options_.byte_fallback) byte_ids_ = find_byte_pieces(vocabulary);
}

void Unigram::find_best(std::u32string_view text, std::vector<Best>& best) const {
  best.assign(text.size() + 1, {0.0, 0, -1});
  const auto relax = [&best](std::uint32_t begin, std::size_t end, double score, TokenId id) {
    Best& target = best[end];
    if (target.id < 0 || score > target.score) target = {score, begin, id};
  };
  for (std::uint32_t begin = 0; begin < text.size(); ++begin) {
    const double here = best[begin].score;
    PieceTrie::Node node = PieceTrie::kRoot;
    TokenId id = -1;
    bool known = false;
    for (std::size_t end = begin; end < text.size() && trie_.step(node, text[end], id); ++end) {
      if (id < 0) continue;
      relax(begin, end + 1, here + scores_[static_cast<std::size_t>(id)], id);
      known |= end == begin;
    }
    if (!known) relax(begin, begin + 1, here + unknown_score_, options_.unknown_id);
  }
}

void Unigram::put_unknown(const Normalized& text, Span run, Encoding& out) const {
  static thread_local std::string bytes;
  bytes.clear();
  if (!byte_ids_.empty()) {
    for (std::uint32_t i = run.begin; i < run.end; ++i) append_utf8(text[i], bytes);
  }
  const auto id_of = [this](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
  const bool all_known = std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return id_of(byte) >= 0; });
  if (bytes.empty() || !all_known) return put_token(options_.unknown_id, text, run.begin, run.end, out);
  for (const char byte : bytes) put_token(id_of(byte), text, run.begin, run.end, out);
}

void Unigram::encode(const Normalized& text, Span piece, Encoding& out) const {
  static thread_local std::vector<Best> best;
  static thread_local std::vector<std::uint32_t> ends;
  find_best(text.text().substr(piece.begin, piece.end - piece.begin), best);
  ends.clear();
  for (std::uint32_t end = piece.end - piece.begin; end > 0; end = best[end].begin) ends.push_back(end);
  while (!ends.empty()) {
    const TokenId id = best[ends.back()].id;
    const std::uint32_t begin = best[ends.back()].begin;
    std::uint32_t end = ends.back();
    ends.pop_back();
    if (id != options_.unknown_id) {
      put_token(id, text, piece.begin + begin, piece.begin + end, out);
      continue;
    }
    for (; !ends.empty() && best[ends.back()].id == id; ends.pop_back()) end = ends.back();
    put_unknown(text, {piece.begin + begin, piece.begin + end}, out);
  }
  if (best.capacity() > kKeptNodes) std::vector<Best>().swap(best);
}

}  // namespace kefu::text
