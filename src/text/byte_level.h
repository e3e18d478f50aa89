#pragma once
// GPT-2's alphabet: every byte as a printable code point.

#include <string_view>

#include "text/pre_tokenizer.h"

namespace kefu::text {

/// The code point that stands for a byte.
char32_t byte_char(unsigned char byte);

/// White space of a byte-level piece: the code point of byte 0x20, and Unicode white space.
bool is_byte_level_space(char32_t code_point);

/// Puts a space before a piece that does not start with one, cuts by GPT-2's expression, and writes
/// every piece in the byte alphabet.
class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(bool add_prefix_space, bool use_regex)
      : add_prefix_space_(add_prefix_space), use_regex_(use_regex) {}
  void apply(Normalized& text, Pieces& pieces) const override;

 private:
  bool add_prefix_space_;
  bool use_regex_;
};

}  // namespace kefu::text
