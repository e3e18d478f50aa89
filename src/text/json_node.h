#pragma once
// A value of a tokenizer.json together with where it stands, so that every complaint says file and key.

#include <optional>
#include <string>
#include <vector>

#include <simdjson.h>

#include "base/result.h"

namespace kefu::text {

/// Valid as long as the simdjson parser that owns the document. An absent key and `null` are the same.
class JsonNode {
 public:
  JsonNode(simdjson::dom::element value, std::string source, std::string path = "")
      : value_(value), source_(std::move(source)), path_(std::move(path)) {}

  const std::string& source() const { return source_; }
  simdjson::dom::element value() const { return value_; }

  /// "file: key.key[3]"
  std::string where() const { return path_.empty() ? source_ : source_ + ": " + path_; }

  bool has(const char* key) const { return find(key).has_value(); }
  std::optional<JsonNode> find(const char* key) const;
  Result<JsonNode> at(const char* key) const;
  Result<std::vector<JsonNode>> list(const char* key) const;
  Result<std::string_view> string(const char* key) const;
  Result<std::int64_t> integer(const char* key) const;

  /// With a value for the absent key.
  Result<bool> boolean(const char* key, bool absent) const;
  Result<std::int64_t> integer(const char* key, std::int64_t absent) const;
  Result<std::string_view> string(const char* key, std::string_view absent) const;

  /// An error (kUnimplemented) that names this place, what it holds, and the remedy.
  tl::unexpected<Error> unsupported(std::string_view what, std::string_view remedy) const;

  /// An error (kInvalidArgument): the value at `key` is absent or not a `kind`.
  tl::unexpected<Error> wrong(const char* key, std::string_view kind) const;

 private:
  std::string below(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  simdjson::dom::element value_;
  std::string source_;
  std::string path_;
};

}  // namespace kefu::text
