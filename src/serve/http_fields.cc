#include "serve/http_fields.h"

#include <algorithm>
#include <random>

#include "text/unicode.h"

namespace kefu::serve {
namespace {

constexpr std::string_view kBlank = " \t";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Cuts the part before the first separator off the front of `rest` and returns it trimmed.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
  return -1;
}

/// A weight of 0 in any of its spellings: "0", "0.", "0.000".
bool is_zero_weight(std::string_view weight) {
  return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

/// Undoes %XX and, in queries, '+'.
Result<std::string> decode_percent(std::string_view encoded, bool is_query) {
  std::string decoded;
  decoded.reserve(encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      decoded.push_back(is_query && encoded[i] == '+' ? ' ' : encoded[i]);
      continue;
    }
    const int high = i + 2 < encoded.size() ? hex_digit(encoded[i + 1]) : -1;
    const int low = i + 2 < encoded.size() ? hex_digit(encoded[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return fail(Code::kInvalidArgument, "the {} has a '%' without two hexadecimal digits; write %25 for it",
                  is_query ? "query" : "path");
    }
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!text::is_valid_utf8(decoded)) {
    return fail(Code::kInvalidArgument, "the {} is not UTF-8 after percent-decoding",
                is_query ? "query" : "path");
  }
  return decoded;
}

/// Whether a list such as "a;q=0.5, b" names a value with a weight above 0.
bool names_with_weight(std::string_view list, std::string_view value) {
  while (!list.empty()) {
    std::string_view item = next_part(list, ',');
    if (!equals_ignoring_case(next_part(item, ';'), value)) continue;
    bool is_wanted = true;
    while (!item.empty()) {
      std::string_view weight = next_part(item, ';');
      const std::string_view name = next_part(weight, '=');
      if (equals_ignoring_case(name, "q")) is_wanted = !is_zero_weight(trim(weight));
    }
    if (is_wanted) return true;
  }
  return false;
}

}  // namespace

bool is_json_media_type(std::string_view content_type) {
  if (!equals_ignoring_case(next_part(content_type, ';'), "application/json")) return false;
  while (!content_type.empty()) {
    std::string_view value = next_part(content_type, ';');
    const std::string_view name = next_part(value, '=');
    if (equals_ignoring_case(name, "charset") && !equals_ignoring_case(unquote(trim(value)), "utf-8"))
      return false;
  }
  return true;
}

bool accepts_html(std::string_view accept) {
  return names_with_weight(accept, "text/html");
}

std::optional<Packing> accepted_packing(std::string_view accept_encoding) {
  if (names_with_weight(accept_encoding, "gzip")) return Packing::kGzip;
  if (names_with_weight(accept_encoding, "deflate")) return Packing::kZlib;
  return std::nullopt;
}

bool matches_etag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view tag = next_part(if_none_match, ',');
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

Result<std::string> decode_query_value(std::string_view encoded) {
  return decode_percent(encoded, true);
}

Result<std::string> decode_path_segment(std::string_view encoded) {
  return decode_percent(encoded, false);
}

Result<std::string> query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    std::string_view value = next_part(query, '&');
    if (next_part(value, '=') == key) return decode_query_value(value);
  }
  return std::string();
}

bool is_sane_request_id(std::string_view id) {
  const auto allowed = [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, allowed);
}

std::string new_request_id() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    return std::mt19937_64((std::uint64_t{device()} << 32) | device());
  }();
  constexpr std::size_t kDigits = 16;
  std::string id(kDigits, '0');
  for (std::uint64_t rest = random(); char& digit : id) {
    digit = "0123456789abcdef"[rest % 16];
    rest /= 16;
  }
  return id;
}

}  // namespace kefu::serve
