#include "serve/parse_request.h"

#include <algorithm>

#include "base/json_input.h"
#include "text/unicode.h"

namespace kefu::serve {
namespace {

namespace dom = simdjson::dom;

std::size_t count_code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Result<std::string_view> read_string(const dom::element& value, std::string_view key) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    return fail(Code::kInvalidArgument, "\"{}\" must be a string, not {}", key, json_type_name(value.type()));
  return text;
}

Result<nlu::ParseRequest> read_members(const dom::object& object, std::size_t max_code_points) {
  nlu::ParseRequest request;
  bool has_text = false;
  for (const auto& [key, value] : object) {
    if (key == "text") {
      KEFU_ASSIGN(const std::string_view text, read_string(value, "text"));
      KEFU_CHECK(check_text("\"text\"", text, max_code_points));
      request.text = text;
      has_text = true;
    } else if (key == "language") {
      if (value.is_null()) continue;
      KEFU_ASSIGN(const std::string_view tag, read_string(value, "language"));
      KEFU_ASSIGN(request.language, read_language_code(tag));
    }
  }
  if (!has_text) return fail(Code::kInvalidArgument, "the body has no \"text\"; send {{\"text\": \"...\"}}");
  return request;
}

}  // namespace

Result<void> check_text(std::string_view what, std::string_view text, std::size_t max_code_points) {
  if (!text::is_valid_utf8(text)) return fail(Code::kInvalidArgument, "{} is not valid UTF-8", what);
  if (text.find('\0') != std::string_view::npos)
    return fail(Code::kInvalidArgument, "{} holds U+0000 (NUL), which is no text; remove it", what);
  if (const std::size_t length = count_code_points(text); length > max_code_points)
    return fail(Code::kOutOfRange, "{} has {} code points; at most {} are read", what, length,
                max_code_points);
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

Result<nlu::ParseRequest> read_parse_request(std::string_view body, std::size_t max_code_points) {
  Result<nlu::ParseRequest> request;
  KEFU_CHECK(with_json(body, R"({"text": "..."})", [&](const dom::element& root) -> Result<void> {
    dom::object object;
    if (root.get(object) != simdjson::SUCCESS)
      return fail(Code::kInvalidArgument, "the body must be a JSON object, not {}",
                  json_type_name(root.type()));
    KEFU_ASSIGN(request, read_members(object, max_code_points));
    return {};
  }));
  return request;
}

}  // namespace kefu::serve
