#include "text/json_node.h"

namespace kefu::text {

std::optional<JsonNode> JsonNode::find(const char* key) const {
  simdjson::dom::element found;
  if (value_[key].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return JsonNode(found, source_, below(key));
}

Result<JsonNode> JsonNode::at(const char* key) const {
  if (auto found = find(key)) return *found;
  return wrong(key, "value");
}

Result<std::vector<JsonNode>> JsonNode::list(const char* key) const {
  simdjson::dom::array array;
  if (value_[key].get(array) != simdjson::SUCCESS) return wrong(key, "list");
  std::vector<JsonNode> nodes;
  for (const simdjson::dom::element element : array) {
    nodes.emplace_back(element, source_, fmt::format("{}[{}]", below(key), nodes.size()));
  }
  return nodes;
}

Result<std::string_view> JsonNode::string(const char* key) const {
  std::string_view text;
  if (value_[key].get(text) != simdjson::SUCCESS) return wrong(key, "string");
  return text;
}

Result<std::int64_t> JsonNode::integer(const char* key) const {
  std::int64_t number = 0;
  if (value_[key].get(number) != simdjson::SUCCESS) return wrong(key, "whole number");
  return number;
}

Result<bool> JsonNode::boolean(const char* key, bool absent) const {
  if (!has(key)) return absent;
  bool flag = false;
  if (value_[key].get(flag) != simdjson::SUCCESS) return wrong(key, "boolean");
  return flag;
}

Result<std::int64_t> JsonNode::integer(const char* key, std::int64_t absent) const {
  if (!has(key)) return absent;
  return integer(key);
}

Result<std::string_view> JsonNode::string(const char* key, std::string_view absent) const {
  if (!has(key)) return absent;
  return string(key);
}

tl::unexpected<Error> JsonNode::unsupported(std::string_view what, std::string_view remedy) const {
  return fail(Code::kUnimplemented, "{} is {}, which this library does not know: {}", where(), what, remedy);
}

tl::unexpected<Error> JsonNode::wrong(const char* key, std::string_view kind) const {
  return fail(Code::kInvalidArgument,
              "{}: \"{}\" is missing or not a {}: save the tokeniser again with Hugging Face tokenizers 0.13 "
              "or newer",
              source_, below(key), kind);
}

}  // namespace kefu::text
