#pragma once
// The four normalisation forms of Unicode (UAX #15), with alignments.

#include <string>

#include "text/normalized.h"

namespace kefu::text {

enum class NormalForm { kC, kD, kKC, kKD };

/// Brings the text into the form. Alignments follow Hugging Face: in a cluster of marks, output i stands
/// for the inputs in order of reading, so reordered marks keep their places rather than their identity.
void apply_normal_form(NormalForm form, Normalized& text);

/// Full decomposition of one code point, itself if it has none.
std::u32string decompose(char32_t code_point, bool compatible);

/// True if the canonical decomposition composes to the code point again: neither a singleton nor excluded.
bool is_composite(char32_t code_point);

/// The primary composite of a pair, or 0.
char32_t compose(char32_t first, char32_t second);

/// True if the code point has a combining class or is the second of a composing pair.
bool joins_previous(char32_t code_point);

}  // namespace kefu::text
