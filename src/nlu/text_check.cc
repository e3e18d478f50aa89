#include "nlu/text_check.h"

#include <algorithm>

#include "text/unicode.h"

namespace kefu::nlu {
namespace {

std::size_t count_code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Result<void> check_text(std::string_view what, std::string_view text, std::size_t max_code_points) {
  if (!text::is_valid_utf8(text)) return fail(Code::kInvalidArgument, "{} is not valid UTF-8", what);
  if (text.find('\0') != std::string_view::npos)
    return fail(Code::kInvalidArgument, "{} holds U+0000 (NUL), which is no text; remove it", what);
  if (const std::size_t length = count_code_points(text); length > max_code_points)
    return fail(Code::kOutOfRange, "{} has {} code points; at most {} are read (http.max_text_code_points)",
                what, length, max_code_points);
  return {};
}

Result<std::string> read_language_code(std::string_view tag) {
  std::string code(tag.substr(0, tag.find_first_of("-_")));
  for (char& c : code) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool letters = std::ranges::all_of(code, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!tag.empty() && (!letters || code.size() < 2 || code.size() > 3)) {
    return fail(Code::kInvalidArgument,
                "\"language\" must be an ISO 639 code such as \"es\", or be left out");
  }
  return code;
}

}  // namespace kefu::nlu
