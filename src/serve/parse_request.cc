#include "serve/parse_request.h"

#include <algorithm>

#include <simdjson.h>

#include "text/unicode.h"

namespace kefu::serve {
namespace {

namespace dom = simdjson::dom;

/// A thread's parser does not keep more memory than a body of this size needs.
constexpr std::size_t kKeptCapacityBytes = 64 * 1024;
constexpr std::size_t kLeastCapacityBytes = 4 * 1024;

std::string_view type_name(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

std::size_t count_code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Why simdjson refused the body, in our words.
tl::unexpected<Error> syntax_error(simdjson::error_code error, std::string_view body) {
  if (const std::size_t nul = body.find('\0'); nul != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "the body has a NUL byte at offset {}; JSON allows none", nul);
  }
  switch (error) {
    case simdjson::DEPTH_ERROR:
      return fail(Code::kInvalidArgument, "the body is nested deeper than {} levels", kMaxJsonDepth);
    case simdjson::EMPTY:
      return fail(Code::kInvalidArgument, "the body is empty; send {{\"text\": \"...\"}}");
    case simdjson::STRING_ERROR:
      return fail(Code::kInvalidArgument,
                  "the body is not valid JSON: a string has a broken escape (\\u must name "
                  "code points, surrogates only in pairs)");
    default:
      return fail(Code::kInvalidArgument, "the body is not valid JSON: {}", simdjson::error_message(error));
  }
}

Result<std::string_view> read_string(const dom::element& value, std::string_view key) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument, "\"{}\" must be a string, not {}", key, type_name(value.type()));
  }
  if (text.find('\0') != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "\"{}\" holds U+0000 (NUL), which is no text; remove it", key);
  }
  return text;
}

/// "es-MX" → "es"; empty stays empty.
Result<std::string> read_language(const dom::element& value) {
  if (value.is_null()) return std::string();
  KEFU_ASSIGN(std::string_view tag, read_string(value, "language"));
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

Result<nlu::ParseRequest> read_members(const dom::object& object, std::size_t max_code_points) {
  nlu::ParseRequest request;
  bool has_text = false;
  for (const auto& [key, value] : object) {
    if (key == "text") {
      KEFU_ASSIGN(const std::string_view text, read_string(value, "text"));
      request.text = text;
      has_text = true;
    } else if (key == "language") {
      KEFU_ASSIGN(request.language, read_language(value));
    }
  }
  if (!has_text) return fail(Code::kInvalidArgument, "the body has no \"text\"; send {{\"text\": \"...\"}}");
  if (const std::size_t length = count_code_points(request.text); length > max_code_points) {
    return fail(Code::kOutOfRange, "\"text\" has {} code points; at most {} are read", length,
                max_code_points);
  }
  return request;
}

}  // namespace

Result<nlu::ParseRequest> read_parse_request(std::string_view body, std::size_t max_code_points) {
  if (!text::is_valid_utf8(body)) return fail(Code::kInvalidArgument, "the body is not valid UTF-8");

  // The DOM parser, not on-demand: it validates what it skips. Allocated here, since parse() itself would
  // allocate with simdjson's own, far larger depth.
  thread_local dom::parser parser;
  const std::size_t capacity = std::max(body.size(), kLeastCapacityBytes);
  if (parser.capacity() < capacity && parser.allocate(capacity, kMaxJsonDepth) != simdjson::SUCCESS) {
    return fail(Code::kResourceExhausted, "no memory to read a body of {} bytes", body.size());
  }

  Result<nlu::ParseRequest> request;
  dom::element root;
  if (const simdjson::error_code error = parser.parse(body.data(), body.size()).get(root)) {
    request = syntax_error(error, body);
  } else if (dom::object object; root.get(object) != simdjson::SUCCESS) {
    request = fail(Code::kInvalidArgument, "the body must be a JSON object, not {}", type_name(root.type()));
  } else {
    request = read_members(object, max_code_points);
  }
  if (capacity > kKeptCapacityBytes) parser = dom::parser();
  return request;
}

}  // namespace kefu::serve
