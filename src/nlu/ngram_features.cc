#include "nlu/ngram_features.h"

#include <algorithm>
#include <bitset>
#include <cmath>

#include <utf8proc.h>

#include "text/unicode.h"

namespace kefu::nlu {
namespace {

constexpr std::size_t kLongest = 4;

/// NFKC with case folded.
std::u32string normal_form(std::u32string_view text) {
  std::string utf8 = text::encode_utf8(text);
  std::erase(utf8, '\0');
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                           UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  const auto decompose = [&](std::vector<utf8proc_int32_t>& out) {
    return utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                              static_cast<utf8proc_ssize_t>(utf8.size()), out.data(), std::ssize(out),
                              kOptions);
  };
  std::vector<utf8proc_int32_t> points(2 * text.size());
  auto size = decompose(points);
  if (size > std::ssize(points)) {
    points.resize(static_cast<std::size_t>(size));
    size = decompose(points);
  }
  if (size < 0) return std::u32string(text);
  size = utf8proc_normalize_utf32(points.data(), size, kOptions);
  return {points.begin(), points.begin() + size};
}

std::u32string simplify(std::u32string_view text) {
  std::u32string out = U" ";
  for (const char32_t c : normal_form(text)) {
    if (text::is_space(c)) {
      if (out.back() != U' ') out.push_back(U' ');
    } else {
      const bool digit = utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
      out.push_back(digit ? U'0' : c);
    }
  }
  if (out.back() != U' ') out.push_back(U' ');
  return out;
}

/// Finaliser of MurmurHash3: FNV alone leaves the low bits of short keys alike.
std::uint32_t mixed(std::uint32_t h) {
  h = (h ^ (h >> 16)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13)) * 0xC2B2AE35U;
  return h ^ (h >> 16);
}

}  // namespace

std::vector<std::uint32_t> ngram_buckets(std::u32string_view text) {
  const std::u32string simple = simplify(text);
  std::bitset<kNgramBuckets> held;
  for (std::size_t begin = 0; begin < simple.size(); ++begin) {
    std::uint32_t h = 2166136261U;
    for (std::size_t i = begin; i < std::min(simple.size(), begin + kLongest); ++i) {
      h = (h ^ static_cast<std::uint32_t>(simple[i])) * 16777619U;
      held.set(mixed(h) % kNgramBuckets);
    }
  }
  std::vector<std::uint32_t> buckets;
  buckets.reserve(held.count());
  for (std::size_t at = held._Find_first(); at < held.size(); at = held._Find_next(at))
    buckets.push_back(static_cast<std::uint32_t>(at));
  return buckets;
}

NgramWeights NgramWeights::fit(const std::vector<std::vector<std::uint32_t>>& texts) {
  std::vector<float> idf(kNgramBuckets, 0.0F);
  for (const auto& text : texts) {
    for (const std::uint32_t bucket : text) idf[bucket] += 1;
  }
  for (float& value : idf) value = std::log((1 + static_cast<float>(texts.size())) / (1 + value));
  return NgramWeights(std::move(idf));
}

SparseVector NgramWeights::apply(std::vector<std::uint32_t> buckets) const {
  SparseVector out{std::move(buckets), {}};
  float squares = 0;
  for (const std::uint32_t bucket : out.index) {
    out.value.push_back(idf_[bucket]);
    squares += idf_[bucket] * idf_[bucket];
  }
  const float scale = squares > 0 ? 1 / std::sqrt(squares) : 0.0F;
  for (float& value : out.value) value *= scale;
  return out;
}

}  // namespace kefu::nlu
