#include "text/code_point_map.h"

namespace kefu::text {

void CodePointMap::then_replace(char32_t from, std::u32string_view to) {
  for (std::u32string& text : texts_) {
    for (std::size_t at = text.find(from); at != std::u32string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, 1, to);
    }
  }
  if (contains(from)) return;
  std::uint16_t& page = page_[from >> 8];
  if (page == 0) {
    page = static_cast<std::uint16_t>(entries_.size() >> 8);
    entries_.resize(entries_.size() + 256, -1);
  }
  entries_[std::size_t{page} << 8 | (from & 0xFF)] = static_cast<std::int32_t>(texts_.size());
  texts_.emplace_back(to);
}

}  // namespace kefu::text
