#pragma once
// UTF-8 and code points. All offsets of the product are code points of the original text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kefu::text {

constexpr char32_t kReplacement = 0xFFFD;

/// Half-open range of code points.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
  bool empty() const { return begin >= end; }
};

/// Decodes UTF-8. Each maximal invalid part becomes one U+FFFD (Unicode 15, table 3-8), so the result
/// is defined for any bytes; NUL is an ordinary code point.
std::u32string decode_utf8(std::string_view utf8);

/// The same into `out`, whose memory is used again.
void decode_utf8(std::string_view utf8, std::u32string& out);

/// Appends one code point; surrogates and values above U+10FFFF become U+FFFD.
void append_utf8(char32_t code_point, std::string& out);

std::string encode_utf8(std::u32string_view code_points);

/// True if every byte belongs to well-formed UTF-8. SIMD.
bool is_valid_utf8(std::string_view utf8);

/// Byte offset of each code point, plus the total size at the end: size() = code points + 1.
/// Requires valid UTF-8.
std::vector<std::uint32_t> code_point_offsets(std::string_view utf8);

/// White space as Unicode has it (White_Space property), U+3000 included.
bool is_space(char32_t code_point);

}  // namespace kefu::text
