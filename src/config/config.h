#pragma once
// kefu.yaml: sections of keys, every key with a default. Unknown keys and wrong values are errors with
// file:line and the remedy; `--set section.key=value` overrides the file.

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace kefu::config {

/// Values read, waiting to be bound to settings. Not thread-safe; used once at start.
class Config {
 public:
  /// kInvalidArgument with file:line for YAML that is not sections of scalars.
  static Result<Config> load(const std::filesystem::path& file);

  Config() = default;

  /// "http.port=8081".
  Result<void> set(std::string_view assignment);

  /// Names a key and, if it has a value, stores it into `target`. kInvalidArgument for a value of another
  /// type; numbers must lie within [least, most], names must be among the `known` ones.
  Result<void> bind(const std::string& key, std::string& target);
  Result<void> bind(const std::string& key, std::string& target,
                    std::initializer_list<std::string_view> known);
  Result<void> bind(const std::string& key, int& target, int least, int most);
  Result<void> bind(const std::string& key, std::size_t& target, std::size_t least, std::size_t most);
  Result<void> bind(const std::string& key, bool& target);

  /// After all bind() calls: an error for the first value whose key nobody named, with the nearest known key.
  Result<void> finish() const;

 private:
  struct Value {
    std::string text;
    std::string origin;  // "kefu.yaml:3", "--set"
  };

  const Value* take(const std::string& key);
  Result<long long> number(const std::string& key, const Value& value, long long least, long long most) const;

  std::map<std::string, Value> values_;
  std::vector<std::string> known_;
};

}  // namespace kefu::config
