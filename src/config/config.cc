#include "config/config.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "base/nearest.h"

namespace kefu::config {

Result<Config> Config::load(const std::filesystem::path& file) {
  KEFU_ASSIGN(const std::string text, read_file(file));
  Config config;
  const auto at = [&file](const YAML::Mark& mark) {
    return fmt::format("{}:{}", file.string(), mark.line + 1);
  };
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return config;
    if (!root.IsMap())
      return fail(Code::kInvalidArgument, "{}: expected sections such as \"http:\"", at(root.Mark()));
    for (const auto& section : root) {
      const auto name = section.first.as<std::string>();
      if (!section.second.IsMap()) {
        return fail(Code::kInvalidArgument, "{}: section {} must hold \"key: value\" lines",
                    at(section.first.Mark()), name);
      }
      for (const auto& entry : section.second) {
        const std::string key = name + "." + entry.first.as<std::string>();
        if (!entry.second.IsScalar())
          return fail(Code::kInvalidArgument, "{}: {} must be one value", at(entry.first.Mark()), key);
        config.values_[key] = {entry.second.Scalar(), at(entry.first.Mark())};
      }
    }
  } catch (const YAML::Exception& error) {
    return fail(Code::kInvalidArgument, "{}: {}", at(error.mark), error.msg);
  }
  return config;
}

Result<void> Config::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(Code::kInvalidArgument, "--set {}: write it as section.key=value", assignment);
  }
  values_[std::string(assignment.substr(0, equals))] = {std::string(assignment.substr(equals + 1)), "--set"};
  return {};
}

const Config::Value* Config::take(const std::string& key) {
  known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

Result<long long> Config::number(const std::string& key, const Value& value, long long least,
                                 long long most) const {
  long long number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most) {
    return fail(Code::kInvalidArgument, "{}: {} is \"{}\", expected a whole number from {} to {}",
                value.origin, key, value.text, least, most);
  }
  return number;
}

Result<void> Config::bind(const std::string& key, std::string& target) {
  if (const Value* value = take(key)) target = value->text;
  return {};
}

Result<void> Config::bind(const std::string& key, std::string& target,
                          std::initializer_list<std::string_view> known) {
  const Value* value = take(key);
  if (value == nullptr) return {};
  if (std::ranges::find(known, value->text) == known.end()) {
    return fail(Code::kInvalidArgument, "{}: {} is \"{}\", expected one of {}", value->origin, key,
                value->text, fmt::join(known, ", "));
  }
  target = value->text;
  return {};
}

Result<void> Config::bind(const std::string& key, int& target, int least, int most) {
  if (const Value* value = take(key)) {
    KEFU_ASSIGN(const long long read, number(key, *value, least, most));
    target = static_cast<int>(read);
  }
  return {};
}

Result<void> Config::bind(const std::string& key, std::size_t& target, std::size_t least, std::size_t most) {
  if (const Value* value = take(key)) {
    KEFU_ASSIGN(const long long read,
                number(key, *value, static_cast<long long>(least), static_cast<long long>(most)));
    target = static_cast<std::size_t>(read);
  }
  return {};
}

Result<void> Config::bind(const std::string& key, bool& target) {
  std::string text = target ? "true" : "false";
  KEFU_CHECK(bind(key, text, {"true", "false"}));
  target = text == "true";
  return {};
}

Result<void> Config::finish() const {
  for (const auto& [key, value] : values_) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    return fail(Code::kInvalidArgument, "{}: there is no setting {}; did you mean {}?", value.origin, key,
                nearest_name(key, known_));
  }
  return {};
}

}  // namespace kefu::config
