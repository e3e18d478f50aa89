#include "text/units.h"

#include <utf8proc.h>

namespace kefu::text {
namespace {

/// Han, hiragana, katakana (half-width too) and the marks that belong to them: scripts without spaces.
bool is_unspaced(char32_t c) {
  return (c >= 0x3005 && c <= 0x3007) || (c >= 0x3040 && c <= 0x30FF) || (c >= 0x31F0 && c <= 0x31FF) ||
         (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF66 && c <= 0xFF9F) || (c >= 0x20000 && c <= 0x323AF);
}

enum class Kind { kNone, kCharacter, kWord, kMark };

Kind kind_of(char32_t c) {
  if (is_space(c)) return Kind::kNone;
  if (is_unspaced(c)) return Kind::kCharacter;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  if (category == UTF8PROC_CATEGORY_CC) return Kind::kNone;
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO)
    return Kind::kWord;  // letters, marks, numbers
  return category == UTF8PROC_CATEGORY_CF ? Kind::kWord : Kind::kMark;
}

}  // namespace

std::vector<Unit> cut_units(std::u32string_view text) {
  std::vector<Unit> units;
  bool in_word = false;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    const Kind kind = kind_of(text[i]);
    if (kind == Kind::kWord && in_word) {
      ++units.back().span.end;
      continue;
    }
    in_word = kind == Kind::kWord;
    if (kind != Kind::kNone) units.push_back({{i, i + 1}, kind == Kind::kCharacter});
  }
  return units;
}

}  // namespace kefu::text
