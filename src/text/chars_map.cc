#include <bit>
#include <cstring>

#include "text/normalizer_precompiled.h"

namespace kefu::text {
namespace {

// A unit of a Darts-clone double array (https://github.com/s-yata/darts-clone, darts.h).
constexpr bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
constexpr std::uint32_t leaf_value(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
constexpr std::uint32_t label(std::uint32_t unit) {
  return unit & 0x800000FF;
}
constexpr std::size_t offset(std::uint32_t unit) {
  return std::size_t{unit >> 10} << ((unit & 0x200) >> 6);
}

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

Result<CharsMap> CharsMap::parse(std::string_view bytes, std::string_view where) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t size = 0;
  if (bytes.size() >= sizeof size) std::memcpy(&size, bytes.data(), sizeof size);
  if (size < 4 || size % 4 != 0 || size > bytes.size() - sizeof size) {
    return fail(Code::kInvalidArgument,
                "{}: the precompiled_charsmap has {} bytes but says {} for its array: export it again", where,
                bytes.size(), size);
  }
  CharsMap map;
  map.units_.resize(size / 4);
  std::memcpy(map.units_.data(), bytes.data() + sizeof size, size);
  map.texts_ = bytes.substr(sizeof size + size);
  if (!is_valid_utf8(map.texts_)) {
    return fail(Code::kInvalidArgument,
                "{}: the texts of the precompiled_charsmap are not UTF-8: export it again", where);
  }
  return map;
}

bool CharsMap::find(std::string_view key, std::string_view& replacement) const {
  std::size_t node = offset(units_[0]);
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label(units_[node]) != byte) return false;
    const std::uint32_t unit = units_[node];
    node ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size() || leaf_value(units_[node]) > texts_.size()) return false;
    const std::size_t begin = leaf_value(units_[node]);
    replacement = std::string_view(texts_).substr(begin);
    replacement = replacement.substr(0, replacement.find('\0'));
    return true;
  }
  return false;
}

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.size() % 4 != 0) return false;
  while (!text.empty() && text.back() == '=' && text.size() % 4 != 2) text.remove_suffix(1);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return true;
}

}  // namespace kefu::text
