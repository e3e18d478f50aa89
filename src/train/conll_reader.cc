#include <algorithm>
#include <optional>
#include <utility>

#include "train/data_text.h"
#include "train/public_formats.h"

namespace kefu::train {
namespace {

constexpr std::size_t kAbsent = std::string_view::npos;

struct Word {
  std::string_view word;
  std::string_view label;  // O, B-name, I-name
};

/// The lines between two blank ones.
struct Sentence {
  std::string_view text;  // of "# text", empty: none
  std::string_view intent;
  std::string_view translated_from;
  std::vector<Word> words;
  std::size_t line = 0;
  std::string fault;
};

/// A word's bytes in the text.
struct Place {
  std::size_t begin;
  std::size_t end;
};

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

/// Japanese and Chinese are written without blanks but between Latin words.
bool has_blank_between(std::string_view left, std::string_view right, bool spaced) {
  if (left.empty() || right.empty()) return false;
  return spaced || (is_ascii(left.back()) && is_ascii(right.front()));
}

/// "# text" without the blanks that the annotators put between the words of unspaced languages.
std::string plain_text(std::string_view text, bool spaced) {
  if (spaced) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (has_blank_between(out, word, spaced)) out += ' ';
    out += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Where each word stands in the text, in order; nothing if one is not found.
std::optional<std::vector<Place>> find_words(std::string_view text, const std::vector<Word>& words) {
  std::vector<Place> places;
  std::size_t at = 0;
  for (const Word& word : words) {
    const std::size_t begin = text.find(word.word, at);
    if (begin == kAbsent) return std::nullopt;
    at = begin + word.word.size();
    places.push_back({begin, at});
  }
  return places;
}

std::vector<Place> join_words(const std::vector<Word>& words, bool spaced, std::string& text) {
  std::vector<Place> places;
  text.clear();
  for (const Word& word : words) {
    if (has_blank_between(text, word.word, spaced)) text += ' ';
    places.push_back({text.size(), text.size() + word.word.size()});
    text += word.word;
  }
  return places;
}

/// Slots from BIO labels; an I- that continues nothing starts a slot (as conlleval has it).
void add_slots(const std::vector<Word>& words, const std::vector<Place>& places, Example& example) {
  std::vector<std::pair<std::string_view, Place>> slots;
  bool open = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view label = words[i].label;
    if (label == "O") {
      open = false;
      continue;
    }
    const std::string_view name = label.substr(2);
    if (open && label.starts_with("I-") && slots.back().first == name) {
      slots.back().second.end = places[i].end;
    } else {
      slots.emplace_back(name, places[i]);
    }
    open = true;
  }
  for (const auto& [name, place] : slots) {
    const std::string_view text = example.text;
    const std::uint32_t begin = count_code_points(text.substr(0, place.begin));
    const std::string_view value = text.substr(place.begin, place.end - place.begin);
    example.entities.push_back({.name = std::string(name),
                                .role = {},
                                .group = {},
                                .value = std::string(value),
                                .span = {begin, begin + count_code_points(value)}});
  }
}

/// "# key = value" or "# key: value".
void read_comment(std::string_view line, std::size_t number, Sentence& sentence) {
  line = trim(line.substr(1));
  const std::size_t end = line.find_first_of("=:");
  if (end == kAbsent) return;
  const std::string_view key = trim(line.substr(0, end));
  const std::string_view value = trim(line.substr(end + 1));
  if (key == "intent") sentence.intent = value;
  if (key == "text-en") sentence.translated_from = value;
  if (key != "text") return;
  sentence.text = value;
  sentence.line = number;
}

void read_word(std::string_view line, Sentence& sentence) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at != kAbsent;) {
    const std::size_t tab = line.find('\t', at);
    fields.push_back(trim(line.substr(at, tab - at)));
    at = tab == kAbsent ? kAbsent : tab + 1;
  }
  const bool is_empty_word = fields.size() == 4 && fields[1].empty() && fields[3] == "O";
  if (is_empty_word) return;  // xSID's Chinese files have seven
  if (fields.size() != 4 || fields[1].empty()) {
    sentence.fault = fmt::format("\"{}\" must be index, word, intent and label with tabs between", line);
    return;
  }
  const std::string_view label = fields[3];
  const bool is_label =
      label == "O" || ((label.starts_with("B-") || label.starts_with("I-")) && label.size() > 2);
  if (!is_label) sentence.fault = fmt::format("the label \"{}\" must be O, B-name or I-name", label);
  if (sentence.intent.empty()) sentence.intent = fields[2];
  sentence.words.push_back({fields[1], label});
}

void finish(Sentence sentence, const std::string& file, const std::string& language, Dataset& data) {
  if (sentence.line == 0) return;
  if (sentence.fault.empty() && sentence.words.empty())
    sentence.fault = "a sentence without words; add its rows";
  if (sentence.fault.empty() && sentence.intent.empty())
    sentence.fault = "a sentence without \"# intent\"; add it";
  const Origin origin{file, sentence.line};
  if (!sentence.fault.empty()) {
    data.complaints.push_back({Complaint::Level::kError, origin, std::move(sentence.fault)});
    return;
  }
  const bool spaced = language != "ja" && language != "zh";
  Example example;
  example.text = plain_text(sentence.text, spaced);
  example.intent = sentence.intent;
  example.language = language;
  example.translated_from = sentence.translated_from;
  example.origin = origin;
  auto places = find_words(example.text, sentence.words);
  if (!places) places = join_words(sentence.words, spaced, example.text);
  add_slots(sentence.words, *places, example);
  data.examples.push_back(std::move(example));
}

}  // namespace

Result<Dataset> read_conll(const std::filesystem::path& path) {
  Dataset data;
  const std::string file = path.string();
  const std::string language = language_of_file(path);
  KEFU_ASSIGN(const std::string content, read_public_text(path, data));
  Sentence sentence;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(content)) {
    ++number;
    if (trim(line).empty()) {
      finish(std::exchange(sentence, {}), file, language, data);
      continue;
    }
    if (sentence.line == 0) sentence.line = number;
    if (line.starts_with('#') && line.find('\t') == kAbsent) {
      read_comment(line, number, sentence);
    } else {
      read_word(line, sentence);
    }
  }
  finish(std::move(sentence), file, language, data);
  return data;
}

}  // namespace kefu::train
