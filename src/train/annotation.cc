#include "train/annotation.h"

#include "base/json.h"

namespace kefu::train {
namespace {

/// The parts of one annotation as they stand in the text.
struct Mark {
  std::string_view span;
  std::string_view label;  // within the brackets
  bool json = false;
  std::size_t end = 0;  // one past the annotation
};

/// Reads an annotation whose '[' is at `at`; false if the brackets are plain text, as in "size [M]".
bool read_mark(std::string_view text, std::size_t at, Mark& mark) {
  const std::size_t close = text.find(']', at);
  if (close == std::string_view::npos || close + 1 >= text.size()) return false;
  const char open = text[close + 1];
  if (open != '(' && open != '{') return false;
  const std::size_t end = text.find(open == '(' ? ')' : '}', close);
  if (end == std::string_view::npos) return false;
  mark.span = text.substr(at + 1, close - at - 1);
  mark.json = open == '{';
  mark.label = mark.json ? text.substr(close + 1, end - close) : text.substr(close + 2, end - close - 2);
  mark.end = end + 1;
  return true;
}

Result<Entity> read_entity(const Mark& mark) {
  Entity entity;
  entity.value = mark.span;
  if (!mark.json) {
    const std::size_t colon = mark.label.find(':');
    entity.name = mark.label.substr(0, colon);
    if (colon != std::string_view::npos) entity.value = mark.label.substr(colon + 1);
  } else {
    KEFU_ASSIGN(const Json json, parse_json(mark.label, fmt::format("the annotation {}", mark.label)));
    KEFU_ASSIGN(entity.name, json_get<std::string>(json, "entity", fmt::format("the annotation {}", mark.label)));
    for (const auto& [key, target] : {std::pair{"role", &entity.role}, {"group", &entity.group}, {"value", &entity.value}}) {
      if (!json.contains(key)) continue;
      KEFU_ASSIGN(*target, json_get<std::string>(json, key, fmt::format("the annotation {}", mark.label)));
    }
  }
  if (entity.name.empty()) return fail(Code::kInvalidArgument, "the annotation of \"{}\" names no entity; write [text](entity)", mark.span);
  if (mark.span.empty()) return fail(Code::kInvalidArgument, "an annotation of {} marks no text; write [text]({})", entity.name, entity.name);
  return entity;
}

std::uint32_t count(std::string_view utf8) { return static_cast<std::uint32_t>(text::decode_utf8(utf8).size()); }

}  // namespace

Result<void> parse_annotation(std::string_view marked, Example& example) {
  std::uint32_t length = 0;  // of example.text in code points
  std::size_t at = 0;
  while (at < marked.size()) {
    const std::size_t bracket = marked.find('[', at);
    const std::string_view plain = marked.substr(at, bracket - at);
    example.text += plain;
    length += count(plain);
    if (bracket == std::string_view::npos) break;
    Mark mark;
    if (!read_mark(marked, bracket, mark)) {
      example.text += '[';
      ++length;
      at = bracket + 1;
      continue;
    }
    KEFU_ASSIGN(Entity entity, read_entity(mark));
    entity.span = {length, length + count(mark.span)};
    length = entity.span.end;
    example.text += mark.span;
    example.entities.push_back(std::move(entity));
    at = mark.end;
  }
  if (example.text.find("](") != std::string::npos || example.text.find("]{") != std::string::npos) {
    return fail(Code::kInvalidArgument, "an annotation in \"{}\" is not closed; write [text](entity)", marked);
  }
  return {};
}

}  // namespace kefu::train
