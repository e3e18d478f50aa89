#include "text/unicode.h"

#include <simdjson.h>

#include "text/char_table.h"

namespace kefu::text {
namespace {

struct Lead {
  int length = 0;            // bytes of the sequence, 0 if the byte cannot start one
  unsigned char low = 0x80;  // bounds of the second byte (Unicode 15, table 3-7)
  unsigned char high = 0xBF;
};

Lead classify_lead(unsigned char byte) {
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// Decodes the multi-byte sequence at `at` and moves behind it or behind its maximal invalid part.
char32_t decode_sequence(std::string_view utf8, std::size_t& at) {
  const auto byte = static_cast<unsigned char>(utf8[at++]);
  const Lead lead = classify_lead(byte);
  if (lead.length == 0) return kReplacement;
  char32_t value = byte & (0x7Fu >> lead.length);
  unsigned char low = lead.low;
  unsigned char high = lead.high;
  for (int i = 1; i < lead.length; ++i) {
    if (at == utf8.size()) return kReplacement;
    const auto next = static_cast<unsigned char>(utf8[at]);
    if (next < low || next > high) return kReplacement;
    value = value << 6 | (next & 0x3Fu);
    ++at;
    low = 0x80;
    high = 0xBF;
  }
  return value;
}

}  // namespace

void decode_utf8(std::string_view utf8, std::u32string& out) {
  out.resize(utf8.size());  // an upper bound
  std::size_t at = 0;
  std::size_t count = 0;
  while (at < utf8.size()) {
    const auto byte = static_cast<unsigned char>(utf8[at]);
    if (byte < 0x80) {
      out[count++] = byte;
      ++at;
    } else {
      out[count++] = decode_sequence(utf8, at);
    }
  }
  out.resize(count);
}

std::u32string decode_utf8(std::string_view utf8) {
  std::u32string out;
  decode_utf8(utf8, out);
  return out;
}

void append_utf8(char32_t code_point, std::string& out) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) code_point = kReplacement;
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | code_point >> 12);
    } else {
      put(0xF0 | code_point >> 18);
      put(0x80 | (code_point >> 12 & 0x3F));
    }
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string out;
  out.reserve(code_points.size());
  for (const char32_t code_point : code_points) append_utf8(code_point, out);
  return out;
}

bool is_valid_utf8(std::string_view utf8) {
  return simdjson::validate_utf8(utf8.data(), utf8.size());
}

std::vector<std::uint32_t> code_point_offsets(std::string_view utf8) {
  std::vector<std::uint32_t> offsets;
  offsets.reserve(utf8.size() + 1);
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const bool continuation = (static_cast<unsigned char>(utf8[i]) & 0xC0) == 0x80;
    if (!continuation) offsets.push_back(static_cast<std::uint32_t>(i));
  }
  offsets.push_back(static_cast<std::uint32_t>(utf8.size()));
  return offsets;
}

bool is_space(char32_t code_point) {
  return code_point <= 0x10FFFF && (CharTable::get()[code_point] & kSpace) != 0;
}

}  // namespace kefu::text
