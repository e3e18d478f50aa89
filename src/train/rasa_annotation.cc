#include "train/rasa_annotation.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/nearest.h"
#include "train/data_text.h"

namespace kefu::train {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

/// The end (behind the last bracket) of the JSON value that starts at `at` with '{' or '['; kNowhere if open.
std::size_t json_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return kNowhere;
}

Entity entity_of(std::string_view span, text::Span where) {
  Entity entity;
  entity.value = span;
  entity.span = where;
  return entity;
}

class AnnotationParser {
 public:
  explicit AnnotationParser(std::string_view line) : line_(line) {}

  Annotated run() {
    while (at_ < line_.size() && out_.fault.empty()) step();
    if (out_.fault.empty() && trim(out_.text).empty())
      out_.fault = "the example is empty; write a text or remove it";
    return std::move(out_);
  }

 private:
  void step() {
    const char c = line_[at_];
    if (c == '\\' && at_ + 1 < line_.size() && (line_[at_ + 1] == '[' || line_[at_ + 1] == ']')) {
      put(line_.substr(at_ + 1, 1));
      at_ += 2;
    } else if (c == '[') {
      bracket();
    } else if (c == ']') {
      out_.fault = "']' without '['; close the annotation or write \\] for a bracket of the text";
    } else {
      const std::size_t end = std::min(line_.find_first_of("[]\\", at_ + 1), line_.size());
      put(line_.substr(at_, end - at_));
      at_ = end;
    }
  }

  /// at_ is on '['.
  void bracket() {
    const std::size_t close = line_.find_first_of("[]", at_ + 1);
    if (close == kNowhere || line_[close] == '[') {
      out_.fault = "'[' without ']'; close the annotation or write \\[ for a bracket of the text";
      return;
    }
    const std::string_view span = line_.substr(at_ + 1, close - at_ - 1);
    const std::string_view rest = line_.substr(close + 1);
    const bool is_slot = rest.starts_with('(') || rest.starts_with('{') || rest.starts_with("[{");
    if (!is_slot) {
      put(line_.substr(at_, close + 1 - at_));
      at_ = close + 1;
      return;
    }
    if (trim(span).empty()) {
      out_.fault = "an annotation without text; write the words of the slot between [ and ]";
      return;
    }
    at_ = close + 1;
    const text::Span where{length_, length_ + count_code_points(span)};
    if (rest.starts_with('(')) {
      in_parentheses(span, where);
    } else {
      in_json(span, where);
    }
    put(span);
  }

  /// at_ is on '(' and behind ')' afterwards.
  void in_parentheses(std::string_view span, text::Span where) {
    const std::size_t close = line_.find(')', at_);
    if (close == kNowhere) {
      out_.fault = fmt::format("the annotation of [{}] lacks ')'", span);
      return;
    }
    const std::string_view inside = line_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    const std::size_t colon = inside.find(':');
    Entity entity = entity_of(span, where);
    entity.name = trim(inside.substr(0, colon));
    if (colon != kNowhere) entity.value = trim(inside.substr(colon + 1));
    add(std::move(entity), span);
  }

  /// at_ is on '{' or "[{" and behind the JSON value afterwards.
  void in_json(std::string_view span, text::Span where) {
    const std::size_t end = json_end(line_, at_);
    if (end == kNowhere) {
      out_.fault = fmt::format("the annotation of [{}] lacks '{}'", span, line_[at_] == '{' ? '}' : ']');
      return;
    }
    const std::string_view source = line_.substr(at_, end - at_);
    at_ = end;
    const Json json = Json::parse(source, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) {
      out_.fault = fmt::format("{} is not valid JSON; write [{}]{{\"entity\": \"name\"}}", source, span);
    } else if (json.is_array()) {
      for (const Json& object : json) from_object(object, span, where);
    } else {
      from_object(json, span, where);
    }
  }

  void from_object(const Json& object, std::string_view span, text::Span where) {
    static const std::array<std::string, 4> kKeys{"entity", "role", "group", "value"};
    Entity entity = entity_of(span, where);
    const std::array<std::string*, 4> fields{&entity.name, &entity.role, &entity.group, &entity.value};
    if (!object.is_object()) {
      out_.fault = fmt::format("the annotation of [{}] must hold {{\"entity\": \"name\"}}", span);
      return;
    }
    for (const auto& [key, value] : object.items()) {
      const auto known = std::ranges::find(kKeys, key);
      if (known == kKeys.end()) {
        out_.fault = fmt::format("unknown key \"{}\" in the annotation of [{}]; did you mean \"{}\"?", key,
                                 span, nearest_name(key, kKeys));
        return;
      }
      if (!value.is_string() && !value.is_number()) {
        out_.fault = fmt::format("\"{}\" in the annotation of [{}] must be a string", key, span);
        return;
      }
      *fields[static_cast<std::size_t>(known - kKeys.begin())] =
          value.is_string() ? value.get_ref<const std::string&>() : value.dump();
    }
    add(std::move(entity), span);
  }

  void add(Entity entity, std::string_view span) {
    if (!out_.fault.empty()) return;
    if (entity.name.empty()) {
      out_.fault = fmt::format("the annotation of [{}] names no entity; write [{}](name)", span, span);
    } else if (entity.name.find_first_of(" \t\r\n") != kNowhere) {
      out_.fault = fmt::format("the entity name \"{}\" has a blank; write it with _, or \\[ if [{}] is text",
                               entity.name, span);
    } else if (entity.value.empty()) {
      out_.fault = fmt::format("the value of [{}]({}) is empty; write it or leave it out", span, entity.name);
    } else {
      out_.entities.push_back(std::move(entity));
    }
  }

  void put(std::string_view piece) {
    out_.text += piece;
    length_ += count_code_points(piece);
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::uint32_t length_ = 0;  // code points of out_.text
  Annotated out_;
};

}  // namespace

Annotated parse_annotated(std::string_view line) {
  return AnnotationParser(line).run();
}

}  // namespace kefu::train
