#pragma once
// The units a slot may begin and end at: words in scripts with spaces, single characters in Han and kana
// (word pieces cannot express many span borders there), single marks of punctuation.

#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace kefu::text {

struct Unit {
  Span span;
  bool is_character = false;  // a character of an unspaced script
};

/// Units in order of the text; white space and control characters belong to none.
std::vector<Unit> cut_units(std::u32string_view text);

}  // namespace kefu::text
