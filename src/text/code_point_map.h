#pragma once
// Replacements of single code points: a map from code point to a short text, two memory reads for a miss.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kefu::text {

class CodePointMap {
 public:
  CodePointMap() : page_(0x110000 >> 8, 0), entries_(256, -1) {}

  /// Adds "then replace `from` by `to`": what earlier replacements produce is replaced as well.
  void then_replace(char32_t from, std::u32string_view to);

  bool contains(char32_t code_point) const { return entry(code_point) >= 0; }

  /// Requires contains().
  std::u32string_view at(char32_t code_point) const {
    return texts_[static_cast<std::size_t>(entry(code_point))];
  }

 private:
  std::int32_t entry(char32_t code_point) const {
    return entries_[std::size_t{page_[code_point >> 8]} << 8 | (code_point & 0xFF)];
  }

  std::vector<std::uint16_t> page_;    // page 0 is empty and shared
  std::vector<std::int32_t> entries_;  // index into texts_, or -1
  std::vector<std::u32string> texts_;
};

}  // namespace kefu::text
