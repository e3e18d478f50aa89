#pragma once
// Maps of a YAML file whose members are all known.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace kefu::auth {

/// The one document of `text`. kInvalidArgument with file:line for malformed YAML and a second document; the
/// only place where yaml-cpp may throw, as long as nodes are asked only for what cannot: Is…(), Mark(),
/// Scalar(), iteration.
Result<YAML::Node> parse_yaml(const std::string& text, std::string_view file);

/// The members of one map. Errors are kInvalidArgument with file:line and the remedy.
class YamlMap {
 public:
  /// `what` names the map in errors ("a key"), `known` its members. An error if `node` is no map, or has a
  /// member that is not known or has come already.
  static Result<YamlMap> read(const YAML::Node& node, std::string_view file, std::string_view what,
                              const std::vector<std::string>& known);

  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Where a member is, or the map if it has no such member: "credentials.yaml:3".
  std::string at(std::string_view name) const;

  /// A value that is not empty. Without a fallback it must be there.
  Result<std::string> text(std::string_view name) const;
  Result<std::string> text(std::string_view name, std::string_view fallback) const;

  /// A number within [least, most], if it is there.
  Result<std::optional<double>> number(std::string_view name, double least, double most) const;
  Result<std::optional<int>> whole_number(std::string_view name, int least, int most) const;

  /// The elements of a list; none if it is not there.
  Result<std::vector<YAML::Node>> list(std::string_view name) const;

  /// A member's node; null if it is not there.
  const YAML::Node* find(std::string_view name) const;

 private:
  struct Member {
    std::string name;
    YAML::Node value;
    std::string at;
  };

  template <typename Number>
  Result<std::optional<Number>> number_of(std::string_view name, std::string_view kind, Number least,
                                          Number most) const;

  std::string what_;
  std::string at_;
  std::vector<Member> members_;
};

}  // namespace kefu::auth
