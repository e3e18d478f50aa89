#include "nlu/slot_features.h"

#include <algorithm>
#include <array>

#include <utf8proc.h>

namespace kefu::nlu {
namespace {

char32_t folded(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

/// Sets `out` to the shape of a unit: runs of one class are written once, "A7" is "X9", "20391" is "9".
void take_shape(std::u32string_view unit, std::u32string& out) {
  out.clear();
  for (const char32_t c : unit) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    char32_t kind = c;
    if (category == UTF8PROC_CATEGORY_LU) kind = U'X';
    if (category >= UTF8PROC_CATEGORY_LL && category <= UTF8PROC_CATEGORY_LO) kind = U'x';
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) kind = U'9';
    if (out.empty() || out.back() != kind) out.push_back(kind);
  }
}

/// A round of a multiplicative hash whose upper half, where all bits of the product meet, comes down.
std::uint64_t stirred(std::uint64_t h, std::uint32_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15U;
  return h ^ h >> 32;
}

/// Units, folded, and the hashes of their words and shapes; beyond either end of the text there are marks for
/// words and nothing for shapes.
class UnitForms {
 public:
  UnitForms(std::u32string_view text, const std::vector<text::Unit>& units) : units_(units), folded_(text) {
    std::ranges::transform(folded_, folded_.begin(), folded);
    words_.assign(kBeyond, string_hash(U"<s>"));
    shapes_.assign(kBeyond, string_hash({}));
    std::u32string shape;
    for (std::size_t i = 0; i < units.size(); ++i) {
      words_.push_back(string_hash(this->text(i)));
      take_shape(text.substr(units[i].span.begin, units[i].span.end - units[i].span.begin), shape);
      shapes_.push_back(string_hash(shape));
    }
    words_.insert(words_.end(), kBeyond, string_hash(U"</s>"));
    shapes_.insert(shapes_.end(), kBeyond, string_hash({}));
  }

  std::u32string_view text(std::size_t i) const {
    return std::u32string_view(folded_).substr(units_[i].span.begin,
                                               units_[i].span.end - units_[i].span.begin);
  }

  /// Of the unit `away` from i, at most kBeyond.
  std::uint32_t word(std::size_t i, std::ptrdiff_t away = 0) const { return words_[i + kBeyond + away]; }
  std::uint32_t shape(std::size_t i, std::ptrdiff_t away = 0) const { return shapes_[i + kBeyond + away]; }

 private:
  static constexpr std::size_t kBeyond = 2;
  const std::vector<text::Unit>& units_;
  std::u32string folded_;  // the text, code point by code point
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> shapes_;
};

/// Where the unit lies in the token that covers it: whole, begin, inside, end.
/// `from` is the first token that may: those of earlier units end before it.
char32_t place_in_piece(text::Span unit, const std::vector<text::Span>& tokens, std::size_t& from) {
  while (from < tokens.size() && tokens[from].end <= unit.begin) ++from;
  if (from == tokens.size() || tokens[from].begin > unit.begin) return U'?';
  const text::Span* covering = &tokens[from];
  const bool begins = covering->begin == unit.begin;
  const bool ends = covering->end <= unit.end;
  if (begins && ends) return U'W';
  return begins ? U'B' : ends ? U'E' : U'I';
}

}  // namespace

std::uint32_t string_hash(std::u32string_view text) {
  std::uint64_t h = text.size();
  for (const char32_t c : text) h = stirred(h, c);
  return static_cast<std::uint32_t>(h);
}

std::uint32_t lexical_hash(std::uint32_t kind, std::initializer_list<std::uint32_t> values) {
  std::uint64_t h = kind;
  for (const std::uint32_t value : values) h = stirred(h, value);
  return static_cast<std::uint32_t>(h);
}

std::vector<std::vector<std::uint32_t>> lexical_features(std::u32string_view text,
                                                         const std::vector<text::Unit>& units,
                                                         const std::vector<text::Span>& token_spans) {
  const UnitForms forms(text, units);
  std::size_t token = 0;
  std::vector<std::vector<std::uint32_t>> features;
  features.reserve(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::u32string_view w = forms.text(i);
    const bool digits = w.find_first_of(U"0123456789") != std::u32string_view::npos;
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(w.size(), 8));
    features.push_back({
        lexical_hash(1, {forms.word(i)}),
        lexical_hash(2, {forms.word(i, -1)}),
        lexical_hash(3, {forms.word(i, 1)}),
        lexical_hash(4, {string_hash(w.substr(0, 3))}),
        lexical_hash(5, {string_hash(w.substr(w.size() - std::min<std::size_t>(3, w.size())))}),
        lexical_hash(6, {forms.shape(i)}),
        lexical_hash(7, {forms.shape(i, -1), forms.shape(i), forms.shape(i, 1)}),
        lexical_hash(8, {forms.word(i, -1), forms.word(i)}),
        lexical_hash(9, {forms.word(i), forms.word(i, 1)}),
        lexical_hash(10, {place_in_piece(units[i].span, token_spans, token)}),
        lexical_hash(11, {forms.word(i, -2)}),
        lexical_hash(12, {forms.word(i, 2)}),
        lexical_hash(13, {size, digits ? 1U : 0U}),
    });
  }
  return features;
}

DenseAccumulator::DenseAccumulator(const std::vector<text::Unit>& units, std::size_t hidden)
    : units_(units), hidden_(hidden), sums_(units.size() * hidden, 0.0F), counts_(units.size(), 0) {}

void DenseAccumulator::add(std::span<const text::Span> spans, const engine::RowStates& states,
                           std::size_t first) {
  std::size_t from = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const text::Span unit = units_[u].span;
    while (from < spans.size() && spans[from].end <= unit.begin) ++from;
    for (std::size_t t = from; t < spans.size() && spans[t].begin < unit.end; ++t) {
      const auto state = states.token(first + t);
      for (std::size_t i = 0; i < hidden_; ++i) sums_[u * hidden_ + i] += state[i];
      ++counts_[u];
    }
  }
}

std::vector<float> DenseAccumulator::finish() && {
  for (std::size_t u = 0; u < units_.size(); ++u) {
    if (counts_[u] < 2) continue;
    const float scale = 1.0F / static_cast<float>(counts_[u]);
    for (std::size_t i = 0; i < hidden_; ++i) sums_[u * hidden_ + i] *= scale;
  }
  return std::move(sums_);
}

}  // namespace kefu::nlu
