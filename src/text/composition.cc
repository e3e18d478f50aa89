#include <algorithm>
#include <vector>

#include <utf8proc.h>

#include "text/normal_form.h"

namespace kefu::text {
namespace {

// Hangul syllables compose by arithmetic (Unicode 15, section 3.12).
constexpr char32_t kSyllable = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTrail = 0x11A7;
constexpr char32_t kLeads = 19, kVowels = 21, kTrails = 28, kSyllables = kLeads * kVowels * kTrails;

struct Pair {
  char32_t first;
  char32_t second;
  char32_t composite;

  bool operator<(const Pair& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

// What a canonical decomposition composes to, 0 if that is not one code point.
char32_t compose_all(const std::u32string& parts) {
  // "Stable" keeps to the composition exclusions.
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  std::vector<utf8proc_int32_t> buffer(parts.begin(), parts.end());
  buffer.push_back(0);  // room that utf8proc may write to
  const utf8proc_ssize_t size =
      utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(parts.size()), kOptions);
  return size == 1 ? static_cast<char32_t>(buffer[0]) : 0;
}

std::vector<Pair> read_pairs() {
  std::vector<Pair> pairs;
  for (char32_t c = 0; c < 0x30000; ++c) {
    if (c >= kSyllable && c < kSyllable + kSyllables) continue;
    const std::u32string parts = decompose(c, /*compatible=*/false);
    if (parts.size() < 2 || !is_composite(c)) continue;
    const char32_t first = compose_all(parts.substr(0, parts.size() - 1));
    if (first != 0) pairs.push_back({first, parts.back(), c});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

const std::vector<Pair>& composing_pairs() {
  static const std::vector<Pair> pairs = read_pairs();
  return pairs;
}

std::vector<char32_t> read_seconds() {
  std::vector<char32_t> seconds;
  for (const Pair& pair : composing_pairs()) seconds.push_back(pair.second);
  std::sort(seconds.begin(), seconds.end());
  seconds.erase(std::unique(seconds.begin(), seconds.end()), seconds.end());
  return seconds;
}

}  // namespace

std::u32string decompose(char32_t code_point, bool compatible) {
  const auto c = static_cast<utf8proc_int32_t>(code_point);
  if (code_point < 0x80) return std::u32string(1, code_point);
  const bool hangul = code_point >= kSyllable && code_point < kSyllable + kSyllables;
  if (!hangul && utf8proc_get_property(c)->decomp_seqindex == UINT16_MAX)
    return std::u32string(1, code_point);
  utf8proc_int32_t buffer[32];  // the longest has 18
  int boundary = 0;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  const utf8proc_ssize_t count = utf8proc_decompose_char(c, buffer, std::size(buffer), options, &boundary);
  if (count <= 0) return std::u32string(1, code_point);
  return std::u32string(buffer, buffer + count);
}

bool is_composite(char32_t code_point) {
  if (code_point - kSyllable < kSyllables) return true;
  const std::u32string parts = decompose(code_point, /*compatible=*/false);
  return parts.size() > 1 && compose_all(parts) == code_point;
}

char32_t compose(char32_t first, char32_t second) {
  if (first - kLead < kLeads && second - kVowel < kVowels) {
    return kSyllable + ((first - kLead) * kVowels + (second - kVowel)) * kTrails;
  }
  if (first - kSyllable < kSyllables && (first - kSyllable) % kTrails == 0 && second > kTrail &&
      second < kTrail + kTrails) {
    return first + (second - kTrail);
  }
  static const std::vector<Pair>& pairs = composing_pairs();
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), Pair{first, second, 0});
  return found != pairs.end() && found->first == first && found->second == second ? found->composite : 0;
}

bool joins_previous(char32_t code_point) {
  if (code_point < 0x300) return false;
  if (code_point - kVowel < kVowels || (code_point > kTrail && code_point < kTrail + kTrails)) return true;
  if (utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class != 0) return true;
  static const std::vector<char32_t> seconds = read_seconds();
  return std::binary_search(seconds.begin(), seconds.end(), code_point);
}

}  // namespace kefu::text
