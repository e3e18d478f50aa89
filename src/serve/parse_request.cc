#include "serve/parse_request.h"

#include "base/json_input.h"
#include "nlu/text_check.h"

namespace kefu::serve {
namespace {

namespace dom = simdjson::dom;

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
      KEFU_CHECK(nlu::check_text("\"text\"", text, max_code_points));
      request.text = text;
      has_text = true;
    } else if (key == "language") {
      if (value.is_null()) continue;
      KEFU_ASSIGN(const std::string_view tag, read_string(value, "language"));
      KEFU_ASSIGN(request.language, nlu::read_language_code(tag));
    }
  }
  if (!has_text) return fail(Code::kInvalidArgument, "the body has no \"text\"; send {{\"text\": \"...\"}}");
  return request;
}

}  // namespace

Result<nlu::ParseRequest> read_parse_request(std::string_view body, std::size_t max_code_points) {
  Result<nlu::ParseRequest> request;
  KEFU_CHECK(with_json_object(body, R"({"text": "..."})", [&](const dom::object& object) -> Result<void> {
    KEFU_ASSIGN(request, read_members(object, max_code_points));
    return {};
  }));
  return request;
}

}  // namespace kefu::serve
