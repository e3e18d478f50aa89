#include "nlu/slot_features.h"

#include <algorithm>
#include <array>

#include <utf8proc.h>

namespace kefu::nlu {
namespace {

char32_t folded(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

/// Appends the shape of a unit: runs of one class are written once, "A7" is "X9", "20391" is "9".
void append_shape(std::u32string_view unit, std::u32string& out) {
  const std::size_t begin = out.size();
  for (const char32_t c : unit) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    char32_t kind = c;
    if (category == UTF8PROC_CATEGORY_LU) kind = U'X';
    if (category >= UTF8PROC_CATEGORY_LL && category <= UTF8PROC_CATEGORY_LO) kind = U'x';
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) kind = U'9';
    if (out.size() == begin || out.back() != kind) out.push_back(kind);
  }
}

/// Words and shapes of units; beyond either end of the text there are marks for words and nothing for shapes.
class UnitForms {
 public:
  UnitForms(std::u32string_view text, const std::vector<text::Unit>& units) : units_(units), words_(text) {
    std::ranges::transform(words_, words_.begin(), folded);
    for (const text::Unit& unit : units) {
      shape_begins_.push_back(shapes_.size());
      append_shape(text.substr(unit.span.begin, unit.span.end - unit.span.begin), shapes_);
    }
    shape_begins_.push_back(shapes_.size());
  }

  std::u32string_view word(std::ptrdiff_t i) const {
    if (i < 0) return U"<s>";
    if (i >= std::ssize(units_)) return U"</s>";
    const text::Span span = units_[static_cast<std::size_t>(i)].span;
    return std::u32string_view(words_).substr(span.begin, span.end - span.begin);
  }

  std::u32string_view shape(std::ptrdiff_t i) const {
    if (i < 0 || i >= std::ssize(units_)) return {};
    const std::size_t begin = shape_begins_[static_cast<std::size_t>(i)];
    return std::u32string_view(shapes_).substr(begin, shape_begins_[static_cast<std::size_t>(i) + 1] - begin);
  }

 private:
  const std::vector<text::Unit>& units_;
  std::u32string words_;  // the text, folded code point by code point
  std::u32string shapes_;
  std::vector<std::size_t> shape_begins_;
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

/// FNV-1a.
std::uint32_t lexical_hash(char32_t kind, std::initializer_list<std::u32string_view> values) {
  std::uint32_t h = 2166136261U;
  const auto mix = [&h](std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) h = (h ^ (word >> shift & 0xFF)) * 16777619U;
  };
  mix(kind);
  for (const std::u32string_view* value = values.begin(); value != values.end(); ++value) {
    if (value != values.begin()) mix(U'|');
    for (const char32_t c : *value) mix(c);
  }
  return h;
}

std::vector<std::vector<std::uint32_t>> lexical_features(std::u32string_view text,
                                                         const std::vector<text::Unit>& units,
                                                         const std::vector<text::Span>& token_spans) {
  const UnitForms forms(text, units);
  std::size_t token = 0;
  std::vector<std::vector<std::uint32_t>> features;
  for (std::ptrdiff_t i = 0; i < std::ssize(units); ++i) {
    const std::u32string_view w = forms.word(i);
    const bool digits = w.find_first_of(U"0123456789") != std::u32string_view::npos;
    const std::array size{static_cast<char32_t>(std::min<std::size_t>(w.size(), 8)),
                          static_cast<char32_t>(digits)};
    const char32_t place = place_in_piece(units[static_cast<std::size_t>(i)].span, token_spans, token);
    features.push_back({
        lexical_hash(1, {w}),
        lexical_hash(2, {forms.word(i - 1)}),
        lexical_hash(3, {forms.word(i + 1)}),
        lexical_hash(4, {w.substr(0, 3)}),
        lexical_hash(5, {w.substr(w.size() - std::min<std::size_t>(3, w.size()))}),
        lexical_hash(6, {forms.shape(i)}),
        lexical_hash(7, {forms.shape(i - 1), forms.shape(i), forms.shape(i + 1)}),
        lexical_hash(8, {forms.word(i - 1), w}),
        lexical_hash(9, {w, forms.word(i + 1)}),
        lexical_hash(10, {{&place, 1}}),
        lexical_hash(11, {forms.word(i - 2)}),
        lexical_hash(12, {forms.word(i + 2)}),
        lexical_hash(13, {{size.data(), size.size()}}),
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
