#pragma once
// Properties of code points as bits, two memory reads each. Unicode 15.0 (utf8proc 2.8).

#include <cstdint>
#include <vector>

namespace kefu::text {

enum CharFlag : std::uint32_t {
  kSpace = 1u << 0,            // White_Space
  kMark = 1u << 1,             // M*
  kNonspacingMark = 1u << 2,   // Mn
  kControl = 1u << 3,          // Cc, Cf, Co
  kPunctuation = 1u << 4,      // P* and the ASCII symbols
  kLetter = 1u << 5,           // L*
  kNumber = 1u << 6,           // N*
  kWord = 1u << 7,             // \w of UTS #18: alphabetic, mark, decimal, connector, joiner
  kHasLowercase = 1u << 8,     // changes when lower-cased
  kJoinsPrevious = 1u << 9,    // may reorder or compose with the code point before it
  kCanonical = 1u << 10,       // changes alone under NFD
  kCompatible = 1u << 11,      // changes alone under NFKD
  kUnstableC = 1u << 12,       // changes alone under NFC
  kUnstableKC = 1u << 13,      // changes alone under NFKC
  kSingleGrapheme = 1u << 14,  // never in one grapheme cluster with a neighbour of the same kind
};

class CharTable {
 public:
  /// Built on the first call (a few milliseconds), shared by all threads afterwards.
  static const CharTable& get();

  /// Requires a code point (at most U+10FFFF).
  std::uint32_t operator[](char32_t code_point) const {
    return flags_[std::size_t{block_[code_point >> 8]} << 8 | (code_point & 0xFF)];
  }

 private:
  CharTable();

  std::vector<std::uint16_t> block_;  // by code point / 256
  std::vector<std::uint32_t> flags_;  // blocks of 256, equal ones shared
};

/// True for the ranges BERT calls Chinese: they are surrounded by spaces before splitting.
constexpr bool is_bert_chinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Appends the full lower-case mapping (only U+0130 has two code points).
template <typename Append>
void lowercase(char32_t code_point, Append append);

char32_t simple_lowercase(char32_t code_point);

template <typename Append>
void lowercase(char32_t code_point, Append append) {
  if (code_point == 0x130) {
    append(U'i');
    append(char32_t{0x307});
  } else {
    append(simple_lowercase(code_point));
  }
}

}  // namespace kefu::text
