#include "text/normalized.h"

#include <algorithm>

namespace kefu::text {

namespace {
constexpr std::size_t kKeptCodePoints = 1 << 16;  // about 1.5 MB of scratch memory per thread
}  // namespace

void Normalized::assign(std::string_view utf8) {
  decode_utf8(utf8, text_);
  spans_.resize(text_.size());
  for (std::uint32_t i = 0; i < spans_.size(); ++i) spans_[i] = {i, i + 1};
}

void Normalized::crop(std::size_t begin, std::size_t end) {
  text_.erase(end);
  text_.erase(0, begin);
  spans_.erase(spans_.begin() + end, spans_.end());
  spans_.erase(spans_.begin(), spans_.begin() + begin);
}

void Normalized::begin_edit(std::size_t keep_first) {
  next_text_.clear();
  next_spans_.clear();
  keep(0, keep_first);
}

void Normalized::put_changes(const std::vector<Change>& changes, std::size_t at) {
  for (const auto& [code_point, change] : changes) {
    if (change > 0) {
      put(code_point, at == 0 ? Span{} : spans_[at - 1]);
    } else {
      put(code_point, spans_[std::min(at, spans_.size() - 1)]);
      at += 1 + static_cast<std::size_t>(-change);
    }
  }
}

void Normalized::commit() {
  text_.swap(next_text_);
  spans_.swap(next_spans_);
}

void Normalized::shrink() {
  if (text_.capacity() <= kKeptCodePoints && next_text_.capacity() <= kKeptCodePoints) return;
  *this = Normalized();
}

}  // namespace kefu::text
