#pragma once
// JSON for files that are read once (manifests, labels). The request path uses simdjson and RapidJSON.

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace kefu {

using Json = nlohmann::json;

/// Parses text; `source` names it in the error (kInvalidArgument).
inline Result<Json> parse_json(std::string_view text, std::string_view source) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return fail(Code::kInvalidArgument, "{} is not valid JSON", source);
  return value;
}

inline Result<Json> read_json(const std::filesystem::path& path) {
  KEFU_ASSIGN(const std::string text, read_file(path));
  return parse_json(text, path.string());
}

/// `object[key]` as T; kInvalidArgument naming source and key if absent or of another type.
template <typename T>
Result<T> json_get(const Json& object, const char* key, std::string_view source) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) {
    return fail(Code::kInvalidArgument, "{}: the key \"{}\" is missing", source, key);
  }
  try {
    return found->template get<T>();
  } catch (const Json::exception&) {
    return fail(Code::kInvalidArgument, "{}: \"{}\" has the wrong type ({})", source, key,
                found->type_name());
  }
}

}  // namespace kefu
