#include "serve/embeddings_request.h"

#include "base/json_input.h"
#include "nlu/text_check.h"

namespace kefu::serve {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxTexts = 2048;  // OpenAI's

Result<std::string_view> read_member(const dom::element& value, std::string_view key) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    return fail(Code::kInvalidArgument, "\"{}\" must be a string, not {}", key, json_type_name(value.type()));
  return text;
}

Result<std::string> read_text(const std::string& what, const dom::element& value,
                              std::size_t max_code_points) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument, "{} must be text, not {}; token ids are not read", what,
                json_type_name(value.type()));
  }
  if (text.empty()) return fail(Code::kInvalidArgument, "{} is empty", what);
  KEFU_CHECK(nlu::check_text(what, text, max_code_points));
  return std::string(text);
}

Result<std::vector<std::string>> read_texts(const dom::element& input, std::size_t max_code_points) {
  std::vector<std::string> texts;
  dom::array array;
  if (input.get(array) != simdjson::SUCCESS) {
    KEFU_ASSIGN(std::string text, read_text("\"input\"", input, max_code_points));
    texts.push_back(std::move(text));
    return texts;
  }
  if (array.size() == 0) return fail(Code::kInvalidArgument, "\"input\" is an empty list; send a text");
  if (array.size() > kMaxTexts) {
    return fail(Code::kOutOfRange, "\"input\" has {} texts; at most {} are read, send several requests",
                array.size(), kMaxTexts);
  }
  for (const dom::element& element : array) {
    const std::string what = fmt::format("\"input\"[{}]", texts.size());
    KEFU_ASSIGN(std::string text, read_text(what, element, max_code_points));
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<bool> read_encoding(const dom::element& value) {
  KEFU_ASSIGN(const std::string_view format, read_member(value, "encoding_format"));
  if (format == "float" || format == "base64") return format == "base64";
  return fail(Code::kInvalidArgument, "\"encoding_format\" must be float or base64");
}

Result<EmbeddingsRequest> read_members(const dom::object& object, std::size_t max_code_points) {
  EmbeddingsRequest request;
  for (const auto& [key, value] : object) {
    if (key == "input") {
      KEFU_ASSIGN(request.texts, read_texts(value, max_code_points));
    } else if (key == "model") {
      KEFU_ASSIGN(request.model, read_member(value, "model"));
    } else if (key == "encoding_format") {
      KEFU_ASSIGN(request.as_base64, read_encoding(value));
    } else if (key == "dimensions" && !value.is_null()) {
      return fail(Code::kInvalidArgument, "\"dimensions\" cannot be chosen; leave it out");
    }
  }
  if (request.texts.empty())
    return fail(Code::kInvalidArgument, "the body has no \"input\"; send {{\"input\": \"...\"}}");
  return request;
}

}  // namespace

Result<EmbeddingsRequest> read_embeddings_request(std::string_view body, std::size_t max_code_points) {
  Result<EmbeddingsRequest> request;
  KEFU_CHECK(with_json_object(body, R"({"input": "..."})", [&](const dom::object& object) -> Result<void> {
    KEFU_ASSIGN(request, read_members(object, max_code_points));
    return {};
  }));
  return request;
}

}  // namespace kefu::serve
