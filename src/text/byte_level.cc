#include "text/byte_level.h"

#include <array>

#include "text/piece_editor.h"
#include "text/pre_tokenizer_split.h"

namespace kefu::text {
namespace {

// Printable bytes of Latin-1 stand for themselves, the others follow from U+0100 on.
constexpr std::array<char32_t, 256> make_alphabet() {
  std::array<char32_t, 256> alphabet{};
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    alphabet[byte] = printable ? byte : next++;
  }
  return alphabet;
}

constexpr std::array<char32_t, 256> kAlphabet = make_alphabet();

void put_bytes(Normalized& text, std::size_t i) {
  const char32_t c = text[i];
  const Span span = text.span(i);
  if (c < 0x80) return text.put(kAlphabet[c], span);
  if (c < 0x800) {
    text.put(kAlphabet[0xC0 | c >> 6], span);
  } else {
    if (c < 0x10000) {
      text.put(kAlphabet[0xE0 | c >> 12], span);
    } else {
      text.put(kAlphabet[0xF0 | c >> 18], span);
      text.put(kAlphabet[0x80 | (c >> 12 & 0x3F)], span);
    }
    text.put(kAlphabet[0x80 | (c >> 6 & 0x3F)], span);
  }
  text.put(kAlphabet[0x80 | (c & 0x3F)], span);
}

}  // namespace

char32_t byte_char(unsigned char byte) {
  return kAlphabet[byte];
}

bool is_byte_level_space(char32_t code_point) {
  return code_point == kAlphabet[0x20] || is_space(code_point);
}

void ByteLevel::apply(Normalized& text, Pieces& pieces) const {
  if (add_prefix_space_) {
    rewrite_pieces(text, pieces, [&](Span piece) {
      if (text[piece.begin] != U' ') text.put(U' ', text.span(piece.begin));
      text.keep(piece.begin, piece.end);
    });
  }
  if (use_regex_) SplitByScanner(Scanner::gpt2(), Behavior::kIsolated, false).apply(text, pieces);
  rewrite_pieces(text, pieces, [&](Span piece) {
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) put_bytes(text, i);
  });
}

}  // namespace kefu::text
