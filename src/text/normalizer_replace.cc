#include "text/normalizer_replace.h"

#include "text/char_table.h"

namespace kefu::text {

void ReplaceCodePoints::apply(Normalized& text) const {
  std::size_t i = 0;
  while (i < text.size() && !map_.contains(text[i])) ++i;
  if (i == text.size()) return;
  text.begin_edit(i);
  for (; i < text.size(); ++i) {
    if (!map_.contains(text[i])) {
      text.keep(i);
      continue;
    }
    for (const char32_t c : map_.at(text[i])) text.put(c, text.span(i));
  }
  text.commit();
}

void ReplaceText::apply(Normalized& text) const {
  std::size_t found = text.text().find(from_);
  if (found == std::u32string_view::npos) return;
  text.begin_edit(found);
  while (found != std::u32string_view::npos) {
    const std::size_t end = found + from_.size();
    for (const char32_t c : to_) text.put(c, text.span(end - 1));
    found = text.text().find(from_, end);
    text.keep(end, std::min(found, text.size()));
  }
  text.commit();
}

std::size_t ReplaceRuns::next_run(std::u32string_view text, std::size_t from, std::size_t& end) const {
  const CharTable& table = CharTable::get();
  const auto matches = [&](char32_t c) {
    return pattern_.white_space ? (table[c] & kSpace) != 0 : c == pattern_.code_point;
  };
  for (std::size_t i = from; i < text.size(); i = end + 1) {
    end = i;
    while (end < text.size() && matches(text[end])) {
      ++end;
      if (!pattern_.greedy_run) break;
    }
    if (end > i && end - i >= pattern_.at_least) return i;
  }
  return text.size();
}

void ReplaceRuns::apply(Normalized& text) const {
  std::size_t end = 0;
  std::size_t run = next_run(text.text(), 0, end);
  if (run == text.size()) return;
  text.begin_edit(run);
  while (run < text.size()) {
    for (const char32_t c : to_) text.put(c, text.span(end - 1));
    const std::size_t kept = end;
    run = next_run(text.text(), kept, end);
    text.keep(kept, run);
  }
  text.commit();
}

}  // namespace kefu::text
