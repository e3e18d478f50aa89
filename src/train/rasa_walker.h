#pragma once
// From the nodes of a Rasa YAML file to examples and complaints with exact lines.

#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "train/dataset.h"

namespace kefu::train {

/// Reads one file's nodes once. Borrows `yaml` (the text that the nodes came from) and `data`.
class RasaWalker {
 public:
  RasaWalker(std::string_view yaml, std::string file, Dataset& data);

  void read(const YAML::Node& root);

 private:
  /// An entry of `nlu:`.
  struct Item {
    std::string kind;  // intent, synonym, regex, lookup; empty: none stated
    std::string name;
    std::size_t line = 0;
    YAML::Node examples{YAML::NodeType::Undefined};
    bool has_examples = false;
  };
  /// A text of an item as written, trimmed.
  struct Text {
    std::string text;
    std::size_t line = 0;
  };

  void read_item(const YAML::Node& node);
  bool read_keys(const YAML::Node& node, Item& item);
  bool set_kind(Item& item, const std::string& kind, const YAML::Node& name);
  void read_examples(const Item& item);
  void add_text(const Item& item, const Text& text);
  void add_example(const Item& item, const Text& text);
  void add_regex(const Item& item, const Text& text);
  void add_synonym(const std::string& spoken, const std::string& value, std::size_t line);

  std::vector<Text> texts_of(const Item& item);
  std::vector<Text> texts_of_block(const YAML::Node& node);
  void append_list_entry(const YAML::Node& node, std::vector<Text>& texts);

  std::size_t line_of(const YAML::Node& node) const;
  char style_of(const YAML::Node& node) const;
  std::size_t first_text_line(const YAML::Node& node) const;
  void complain(Complaint::Level level, std::size_t line, std::string message);
  void complain(std::size_t line, std::string message);

  std::vector<std::string_view> lines_;
  std::string file_;
  Dataset& data_;
};

}  // namespace kefu::train
