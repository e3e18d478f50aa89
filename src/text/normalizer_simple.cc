#include "text/normalizer_simple.h"

namespace kefu::text {
namespace {

constexpr bool is_nmt_control(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

constexpr bool is_nmt_space(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

}  // namespace

void Strip::apply(Normalized& text) const {
  const CharTable& table = CharTable::get();
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (left_ && begin < end && (table[text[begin]] & kSpace) != 0) ++begin;
  while (right_ && end > begin && (table[text[end - 1]] & kSpace) != 0) --end;
  if (begin != 0 || end != text.size()) text.crop(begin, end);
}

void StripMarks::apply(Normalized& text) const {
  const CharTable& table = CharTable::get();
  remove_if(text, [&](char32_t c) { return (table[c] & flags_) != 0; });
}

void Lowercase::apply(Normalized& text) const {
  const CharTable& table = CharTable::get();
  const std::size_t size = text.size();
  std::size_t i = 0;
  for (; i < size && text[i] != 0x130; ++i) {
    if ((table[text[i]] & kHasLowercase) != 0) text.set(i, simple_lowercase(text[i]));
  }
  if (i == size) return;
  text.begin_edit(i);
  for (; i < size; ++i) {
    lowercase(text[i], [&](char32_t c) { text.put(c, text.span(i)); });
  }
  text.commit();
}

void Prepend::apply(Normalized& text) const {
  if (text.size() == 0 || prefix_.empty()) return;
  text.begin_edit(0);
  for (const char32_t c : prefix_) text.put(c, text.span(0));
  text.keep(0, text.size());
  text.commit();
}

void Nmt::apply(Normalized& text) const {
  remove_if(text, is_nmt_control);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_nmt_space(text[i])) text.set(i, U' ');
  }
}

}  // namespace kefu::text
