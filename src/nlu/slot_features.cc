#include "nlu/slot_features.h"

#include <algorithm>

#include <utf8proc.h>

namespace kefu::nlu {
namespace {

std::u32string folded(std::u32string_view text, text::Span span) {
  std::u32string out;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    out.push_back(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(text[i]))));
  }
  return out;
}

/// Runs of one class are written once: "A7" is "X9", "20391" is "9".
std::u32string shape(std::u32string_view text, text::Span span) {
  std::u32string out;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(text[i]));
    char32_t kind = text[i];
    if (category == UTF8PROC_CATEGORY_LU) kind = U'X';
    if (category >= UTF8PROC_CATEGORY_LL && category <= UTF8PROC_CATEGORY_LO) kind = U'x';
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) kind = U'9';
    if (out.empty() || out.back() != kind) out.push_back(kind);
  }
  return out;
}

/// Where the unit lies in the token that covers it: whole, begin, inside, end.
char32_t place_in_piece(text::Span unit, const std::vector<text::Span>& tokens) {
  const auto covering =
      std::ranges::find_if(tokens, [&](text::Span t) { return t.begin <= unit.begin && unit.begin < t.end; });
  if (covering == tokens.end()) return U'?';
  const bool begins = covering->begin == unit.begin;
  const bool ends = covering->end <= unit.end;
  if (begins && ends) return U'W';
  return begins ? U'B' : ends ? U'E' : U'I';
}

}  // namespace

/// FNV-1a.
std::uint32_t lexical_hash(char32_t kind, std::u32string_view value) {
  std::uint32_t h = 2166136261U;
  const auto mix = [&h](std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) h = (h ^ (word >> shift & 0xFF)) * 16777619U;
  };
  mix(kind);
  for (const char32_t c : value) mix(c);
  return h;
}

std::vector<std::vector<std::uint32_t>> lexical_features(std::u32string_view text,
                                                         const std::vector<text::Unit>& units,
                                                         const std::vector<text::Span>& token_spans) {
  const std::size_t count = units.size();
  std::vector<std::u32string> words(count);
  std::vector<std::u32string> shapes(count);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = folded(text, units[i].span);
    shapes[i] = shape(text, units[i].span);
  }
  const auto word = [&](std::ptrdiff_t i) -> std::u32string_view {
    if (i < 0) return U"<s>";
    return i >= std::ssize(words) ? std::u32string_view(U"</s>") : words[static_cast<std::size_t>(i)];
  };
  const auto shape_at = [&](std::ptrdiff_t i) -> std::u32string_view {
    return i < 0 || i >= std::ssize(shapes) ? std::u32string_view() : shapes[static_cast<std::size_t>(i)];
  };
  std::vector<std::vector<std::uint32_t>> features(count);
  for (std::ptrdiff_t i = 0; i < std::ssize(units); ++i) {
    const std::u32string_view w = word(i);
    const bool digits = w.find_first_of(U"0123456789") != std::u32string_view::npos;
    const std::u32string pair = std::u32string(word(i - 1)) + U'|' + std::u32string(w);
    const std::u32string next_pair = std::u32string(w) + U'|' + std::u32string(word(i + 1));
    const std::u32string shapes_around = std::u32string(shape_at(i - 1)) + U'|' +
                                         std::u32string(shape_at(i)) + U'|' + std::u32string(shape_at(i + 1));
    const char32_t place = place_in_piece(units[static_cast<std::size_t>(i)].span, token_spans);
    features[static_cast<std::size_t>(i)] = {
        lexical_hash(1, w),
        lexical_hash(2, word(i - 1)),
        lexical_hash(3, word(i + 1)),
        lexical_hash(4, w.substr(0, 3)),
        lexical_hash(5, w.substr(w.size() - std::min<std::size_t>(3, w.size()))),
        lexical_hash(6, shape_at(i)),
        lexical_hash(7, shapes_around),
        lexical_hash(8, pair),
        lexical_hash(9, next_pair),
        lexical_hash(10, std::u32string(1, place)),
        lexical_hash(11, word(i - 2)),
        lexical_hash(12, word(i + 2)),
        lexical_hash(13, std::u32string{static_cast<char32_t>(std::min<std::size_t>(w.size(), 8)),
                                        static_cast<char32_t>(digits)}),
    };
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
