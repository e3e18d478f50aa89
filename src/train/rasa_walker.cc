#include "train/rasa_walker.h"

#include <algorithm>
#include <array>

#include <re2/re2.h>

#include "base/nearest.h"
#include "train/data_text.h"
#include "train/rasa_annotation.h"

namespace kefu::train {
namespace {

using Level = Complaint::Level;

const std::array<std::string, 6> kItemKeys{"intent", "synonym", "regex", "lookup", "examples", "metadata"};

bool is_kind(const std::string& key) {
  return std::find(kItemKeys.begin(), kItemKeys.begin() + 4, key) != kItemKeys.begin() + 4;
}

}  // namespace

RasaWalker::RasaWalker(std::string_view yaml, std::string file, Dataset& data)
    : lines_(split_lines(yaml)), file_(std::move(file)), data_(data) {}

void RasaWalker::read(const YAML::Node& root) {
  if (!root.IsMap()) {
    complain(line_of(root), "the file must start with \"version:\" and \"nlu:\"");
    return;
  }
  bool seen = false;
  for (const auto& entry : root) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (key == "version") continue;
    if (key != "nlu") {
      complain(
          Level::kWarning, line_of(entry.first),
          fmt::format("unknown top-level key \"{}\" is not read; only version and nlu are, remove it", key));
    } else if (seen) {
      complain(line_of(entry.first), "\"nlu:\" stands twice; join the two lists");
    } else if (entry.second.IsSequence()) {
      for (const auto& item : entry.second) read_item(item);
    } else {
      complain(line_of(entry.first), "\"nlu:\" must hold a list; write \"- intent: name\" below it");
    }
    seen = seen || key == "nlu";
  }
  if (!seen) complain(1, "the file has no key \"nlu:\"; add it above the intents");
}

void RasaWalker::read_item(const YAML::Node& node) {
  Item item;
  item.line = line_of(node);
  if (!node.IsMap()) {
    complain(item.line, "expected \"- intent: name\" with \"examples: |\" below it");
    return;
  }
  if (!read_keys(node, item)) return;
  if (item.kind.empty()) {
    complain(item.line, "examples before their intent; write \"- intent: name\" above them");
  } else if (item.name.empty()) {
    complain(item.line, fmt::format("the {} has no name; write \"- {}: name\"", item.kind, item.kind));
  } else if (!item.has_examples) {
    complain(item.line,
             fmt::format("{} {} has no examples; write \"examples: |\" and lines \"- text\" below it",
                         item.kind, item.name));
  } else {
    read_examples(item);
  }
}

bool RasaWalker::read_keys(const YAML::Node& node, Item& item) {
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const std::size_t line = line_of(entry.first);
    if (std::ranges::find(seen, key) != seen.end()) {
      complain(line, fmt::format("\"{}:\" stands twice in one item; start a new one with \"- \"", key));
      return false;
    }
    seen.push_back(key);
    if (is_kind(key)) {
      item.line = line;
      if (!set_kind(item, key, entry.second)) return false;
    } else if (key == "examples") {
      item.examples.reset(entry.second);
      item.has_examples = !entry.second.IsNull();
    } else if (key != "metadata") {
      complain(Level::kWarning, line,
               fmt::format("unknown key \"{}\" is not read; did you mean \"{}\"?", key,
                           nearest_name(key, kItemKeys)));
    }
  }
  return true;
}

bool RasaWalker::set_kind(Item& item, const std::string& kind, const YAML::Node& name) {
  if (!item.kind.empty()) {
    complain(item.line,
             fmt::format("one item is both {} and {}; start a new one with \"- \"", item.kind, kind));
    return false;
  }
  item.kind = kind;
  if (name.IsScalar()) item.name = trim(name.Scalar());
  if (name.IsScalar() || name.IsNull()) return true;
  complain(item.line, fmt::format("the name of the {} must be one word", kind));
  return false;
}

void RasaWalker::read_examples(const Item& item) {
  const std::size_t complaints = data_.complaints.size();
  const std::vector<Text> texts = texts_of(item);
  if (texts.empty() && data_.complaints.size() == complaints) {
    complain(item.line, fmt::format("{} {} has no examples; write lines \"- text\" below \"examples: |\"",
                                    item.kind, item.name));
  }
  for (const Text& text : texts) {
    if (text.text.empty()) {
      complain(text.line, "the example is empty; write a text or remove it");
    } else {
      add_text(item, text);
    }
  }
}

void RasaWalker::add_text(const Item& item, const Text& text) {
  if (item.kind == "intent") {
    add_example(item, text);
  } else if (item.kind == "synonym") {
    add_synonym(text.text, item.name, text.line);
  } else if (item.kind == "lookup") {
    data_.lookups[item.name].push_back(text.text);
  } else {
    add_regex(item, text);
  }
}

void RasaWalker::add_example(const Item& item, const Text& text) {
  Annotated read = parse_annotated(text.text);
  if (!read.fault.empty()) {
    complain(text.line, std::move(read.fault));
    return;
  }
  if (!read.entities.empty()) {
    const std::vector<std::uint32_t> offsets = text::code_point_offsets(read.text);
    for (const Entity& entity : read.entities) {
      const std::uint32_t begin = offsets[entity.span.begin];
      const std::string spoken = read.text.substr(begin, offsets[entity.span.end] - begin);
      if (spoken != entity.value) add_synonym(spoken, entity.value, text.line);
    }
  }
  data_.examples.push_back({.text = std::move(read.text),
                            .intent = item.name,
                            .domain = {},
                            .language = {},
                            .translated_from = {},
                            .entities = std::move(read.entities),
                            .origin = {file_, text.line}});
}

void RasaWalker::add_regex(const Item& item, const Text& text) {
  const re2::RE2 pattern(text.text, re2::RE2::Quiet);
  if (pattern.ok()) {
    data_.regexes[item.name].push_back(text.text);
  } else {
    complain(text.line, fmt::format("regex {}: {}; write it in RE2's syntax", item.name, pattern.error()));
  }
}

void RasaWalker::add_synonym(const std::string& spoken, const std::string& value, std::size_t line) {
  const auto [known, is_new] = data_.synonyms.try_emplace(spoken, value);
  if (is_new || known->second == value) return;
  complain(Level::kWarning, line,
           fmt::format("\"{}\" already means \"{}\", so \"{}\" is not its synonym; keep one of the two",
                       spoken, known->second, value));
}

void RasaWalker::complain(Level level, std::size_t line, std::string message) {
  data_.complaints.push_back({level, {file_, line}, std::move(message)});
}

void RasaWalker::complain(std::size_t line, std::string message) {
  complain(Level::kError, line, std::move(message));
}

}  // namespace kefu::train
