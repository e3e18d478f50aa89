#include "text/char_table.h"

#include <array>
#include <map>

#include <utf8proc.h>

#include "text/normal_form.h"

namespace kefu::text {
namespace {

constexpr char32_t kCodePoints = 0x110000;
constexpr char32_t kByProperty = 0x30000;  // from here on equal properties mean equal flags

constexpr bool in(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

// The White_Space property, fixed since Unicode 6.3.
constexpr bool is_white_space(char32_t c) {
  return in(c, 0x09, 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 || in(c, 0x2000, 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Symbols that are Alphabetic: circled, squared and negative letters (PropList.txt, Other_Alphabetic).
constexpr bool is_alphabetic_symbol(char32_t c) {
  return in(c, 0x24B6, 0x24E9) || in(c, 0x1F130, 0x1F149) || in(c, 0x1F150, 0x1F169) ||
         in(c, 0x1F170, 0x1F189);
}

constexpr bool is_ascii_symbol(char32_t c) {
  return c == '$' || c == '+' || in(c, '<', '>') || c == '^' || c == '`' || c == '|' || c == '~';
}

std::uint32_t category_flags(char32_t c, int category) {
  switch (category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return kLetter | kWord;
    case UTF8PROC_CATEGORY_MN:
      return kMark | kNonspacingMark | kWord;
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return kMark | kWord;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
      return kNumber | kWord;
    case UTF8PROC_CATEGORY_NO:
      return kNumber;
    case UTF8PROC_CATEGORY_PC:
      return kPunctuation | kWord;
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return kPunctuation;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO:
      return kControl;
    case UTF8PROC_CATEGORY_CF:
      return in(c, 0x200C, 0x200D) ? kControl | kWord : kControl;
    default:
      return 0;
  }
}

std::uint32_t normalization_flags(char32_t c, const utf8proc_property_t& property) {
  const bool decomposes = property.decomp_seqindex != UINT16_MAX || in(c, 0xAC00, 0xD7A3);
  if (!decomposes) return joins_previous(c) ? kJoinsPrevious : 0u;
  const std::u32string canonical = decompose(c, /*compatible=*/false);
  const std::u32string compatible = decompose(c, /*compatible=*/true);
  const std::u32string self(1, c);
  std::uint32_t flags = 0;
  if (joins_previous(canonical.front()) || joins_previous(compatible.front())) flags |= kJoinsPrevious;
  if (canonical != self) {
    flags |= kCanonical;
    if (!is_composite(c)) flags |= kUnstableC | kUnstableKC;
  }
  if (compatible != self) flags |= kCompatible;
  if (compatible != canonical) flags |= kUnstableKC;
  return flags;
}

std::uint32_t flags_of(char32_t c, const utf8proc_property_t& property) {
  std::uint32_t flags = category_flags(c, property.category) | normalization_flags(c, property);
  if (is_white_space(c)) flags |= kSpace;
  if (is_ascii_symbol(c)) flags |= kPunctuation;
  if (is_alphabetic_symbol(c)) flags |= kWord;
  if (c == 0x130 || simple_lowercase(c) != c) flags |= kHasLowercase;
  if (property.boundclass == UTF8PROC_BOUNDCLASS_OTHER) flags |= kSingleGrapheme;
  return flags;
}

}  // namespace

CharTable::CharTable() {
  std::map<std::array<std::uint32_t, 256>, std::uint16_t> known;
  const utf8proc_property_t* last_property = nullptr;
  std::uint32_t flags = 0;
  for (char32_t first = 0; first < kCodePoints; first += 256) {
    std::array<std::uint32_t, 256> block{};
    for (char32_t i = 0; i < 256; ++i) {
      const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(first + i));
      if (first < kByProperty || property != last_property) flags = flags_of(first + i, *property);
      last_property = property;
      block[i] = flags;
    }
    const auto [entry, is_new] = known.try_emplace(block, static_cast<std::uint16_t>(known.size()));
    if (is_new) flags_.insert(flags_.end(), block.begin(), block.end());
    block_.push_back(entry->second);
  }
}

const CharTable& CharTable::get() {
  static const CharTable table;
  return table;
}

char32_t simple_lowercase(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

}  // namespace kefu::text
