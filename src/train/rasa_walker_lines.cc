// The part of RasaWalker that finds the texts below `examples:` and their lines.

#include <algorithm>

#include "train/data_text.h"
#include "train/rasa_walker.h"

namespace kefu::train {

std::size_t RasaWalker::line_of(const YAML::Node& node) const {
  const int line = node.Mark().line;  // from 0; -1 if unknown
  return static_cast<std::size_t>(std::max(line, 0)) + 1;
}

/// The character that starts the node behind anchor and tag: '|', '>', '"' …; NUL if there is none.
char RasaWalker::style_of(const YAML::Node& node) const {
  const std::size_t line = line_of(node) - 1;
  if (line >= lines_.size() || node.Mark().column < 0) return '\0';
  std::string_view rest =
      lines_[line].substr(std::min(static_cast<std::size_t>(node.Mark().column), lines_[line].size()));
  while (rest.starts_with('&') || rest.starts_with('!')) {
    rest = trim(rest.substr(std::min(rest.find(' '), rest.size())));
  }
  return rest.empty() ? '\0' : rest.front();
}

std::vector<RasaWalker::Text> RasaWalker::texts_of(const Item& item) {
  const YAML::Node& node = item.examples;
  std::vector<Text> texts;
  if (node.IsScalar()) return texts_of_block(node);
  if (node.IsSequence()) {
    for (const auto& entry : node) append_list_entry(entry, texts);
  } else {
    complain(line_of(node),
             "\"examples:\" must hold texts; write \"examples: |\" and lines \"- text\" below it");
  }
  return texts;
}

/// A literal block keeps its lines, so each is found again in the file behind the one before: exact even
/// where blank lines and comments stand between them.
std::vector<RasaWalker::Text> RasaWalker::texts_of_block(const YAML::Node& node) {
  std::vector<Text> texts;
  const char style = style_of(node);
  const std::size_t start = line_of(node);
  if (style == '>') {
    complain(start, "\"examples: >\" joins the lines; write \"examples: |\"");
    return texts;
  }
  std::size_t next = start;  // 0-based index of the line below the '|'
  for (const std::string_view content : split_lines(node.Scalar())) {
    const std::string_view line = trim(content);
    if (line.empty()) continue;
    std::size_t number = start;
    if (style == '|') {
      while (next < lines_.size() && trim(lines_[next]) != line) ++next;
      number = std::min(++next, lines_.size());
    }
    if (line.starts_with('#')) continue;
    if (line.starts_with('-')) {
      texts.push_back({std::string(trim(line.substr(1))), number});
    } else {
      complain(number, fmt::format("\"{}\" is no example; start the line with \"- \"", line));
    }
  }
  return texts;
}

/// The line where the text of a scalar starts.
std::size_t RasaWalker::first_text_line(const YAML::Node& node) const {
  std::size_t line = line_of(node);
  const char style = style_of(node);
  if (style != '|' && style != '>') return line;
  std::size_t index = line;  // of the line below
  while (index < lines_.size() && trim(lines_[index]).empty()) ++index;
  return index < lines_.size() ? index + 1 : line;
}

void RasaWalker::append_list_entry(const YAML::Node& node, std::vector<Text>& texts) {
  if (node.IsScalar()) {
    texts.push_back({std::string(trim(node.Scalar())), first_text_line(node)});
    return;
  }
  bool found = false;
  if (node.IsMap()) {
    for (const auto& entry : node) {
      if (!entry.first.IsScalar() || entry.first.Scalar() != "text" || !entry.second.IsScalar()) continue;
      texts.push_back({std::string(trim(entry.second.Scalar())), first_text_line(entry.second)});
      found = true;
      break;
    }
  }
  if (!found)
    complain(line_of(node),
             "expected a text; write \"- text: |\" (a text that starts with [ needs this or quotes)");
}

}  // namespace kefu::train
