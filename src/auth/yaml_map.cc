#include "auth/yaml_map.h"

#include <algorithm>
#include <charconv>

#include "base/nearest.h"

namespace kefu::auth {
namespace {

/// An empty file has no mark: that is its first line.
std::string place_of(std::string_view file, const YAML::Mark& mark) {
  return fmt::format("{}:{}", file, std::max(mark.line, 0) + 1);
}

}  // namespace

Result<YAML::Node> parse_yaml(const std::string& text, std::string_view file) {
  try {
    std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return YAML::Node();
    if (documents.size() > 1) {
      return fail(Code::kInvalidArgument, "{}: a second document; the file must be one",
                  place_of(file, documents[1].Mark()));
    }
    return documents.front();
  } catch (const YAML::Exception& error) {
    return fail(Code::kInvalidArgument, "{}: {}", place_of(file, error.mark), error.msg);
  }
}

Result<YamlMap> YamlMap::read(const YAML::Node& node, std::string_view file, std::string_view what,
                              const std::vector<std::string>& known) {
  YamlMap map;
  map.what_ = what;
  map.at_ = place_of(file, node.Mark());
  if (!node.IsMap())
    return fail(Code::kInvalidArgument, "{}: {} must be \"member: value\" lines", map.at_, what);
  for (const auto& entry : node) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    std::string at = place_of(file, entry.first.Mark());
    if (std::ranges::find(known, name) == known.end()) {
      return fail(Code::kInvalidArgument, "{}: {} has no member \"{}\"; did you mean {}?", at, what, name,
                  nearest_name(name, known));
    }
    if (map.has(name)) return fail(Code::kInvalidArgument, "{}: {} has \"{}\" twice", at, what, name);
    map.members_.push_back({name, entry.second, std::move(at)});
  }
  return map;
}

const YAML::Node* YamlMap::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found == members_.end() ? nullptr : &found->value;
}

std::string YamlMap::at(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found == members_.end() ? at_ : found->at;
}

Result<std::string> YamlMap::text(std::string_view name) const {
  const YAML::Node* value = find(name);
  if (value == nullptr) return fail(Code::kInvalidArgument, "{}: {} needs \"{}\"", at_, what_, name);
  if (!value->IsScalar() || value->Scalar().empty())
    return fail(Code::kInvalidArgument, "{}: {} must be one value", at(name), name);
  return value->Scalar();
}

Result<std::string> YamlMap::text(std::string_view name, std::string_view fallback) const {
  return has(name) ? text(name) : std::string(fallback);
}

template <typename Number>
Result<std::optional<Number>> YamlMap::number_of(std::string_view name, std::string_view kind, Number least,
                                                 Number most) const {
  if (!has(name)) return std::nullopt;
  KEFU_ASSIGN(const std::string value, text(name));
  Number number{};
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const bool fits = number >= least && number <= most;  // false for NaN
  if (error != std::errc() || stop != end || !fits) {
    return fail(Code::kInvalidArgument, "{}: {} is \"{}\", expected a {} from {} to {}", at(name), name,
                value, kind, least, most);
  }
  return number;
}

Result<std::optional<double>> YamlMap::number(std::string_view name, double least, double most) const {
  return number_of(name, "number", least, most);
}

Result<std::optional<int>> YamlMap::whole_number(std::string_view name, int least, int most) const {
  return number_of(name, "whole number", least, most);
}

Result<std::vector<YAML::Node>> YamlMap::list(std::string_view name) const {
  std::vector<YAML::Node> elements;
  const YAML::Node* value = find(name);
  if (value == nullptr) return elements;
  if (!value->IsSequence())
    return fail(Code::kInvalidArgument, "{}: {} must be a list (lines that begin with \"- \")", at(name),
                name);
  for (const auto& element : *value) elements.push_back(element);
  return elements;
}

}  // namespace kefu::auth
