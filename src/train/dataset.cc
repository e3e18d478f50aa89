#include "train/dataset.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include <utf8proc.h>

#include "text/units.h"

namespace kefu::train {
namespace {

constexpr std::size_t kLeastExamples = 3;  // an intent needs one for each fold and one to spare

template <typename T>
void append(std::vector<T>& into, std::vector<T>& from) {
  into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void check_counts(Dataset& data) {
  std::map<std::string, std::pair<std::size_t, Origin>> counts;
  for (const Example& example : data.examples) {
    auto& [count, origin] = counts.try_emplace(example.intent, 0, example.origin).first->second;
    ++count;
  }
  for (const auto& [intent, entry] : counts) {
    if (entry.first >= kLeastExamples) continue;
    data.complaints.push_back({Complaint::Level::kError, entry.second,
                               fmt::format("intent {} has {} example{}; write at least {}", intent,
                                           entry.first, entry.first == 1 ? "" : "s", kLeastExamples)});
  }
}

void check_conflicts(Dataset& data) {
  std::unordered_map<std::string, const Example*> first;
  for (const Example& example : data.examples) {
    const auto [known, is_new] = first.try_emplace(example.text, &example);
    const Example& other = *known->second;
    if (is_new || other.intent == example.intent) continue;
    data.complaints.push_back(
        {Complaint::Level::kError, example.origin,
         fmt::format("\"{}\" is labelled {} here and {} at {}:{}; keep one of the two", example.text,
                     example.intent, other.intent, other.origin.file, other.origin.line)});
  }
}

bool begins_and_ends_units(const Entity& entity, const std::vector<text::Unit>& units) {
  const auto begins = [&](const text::Unit& unit) { return unit.span.begin == entity.span.begin; };
  const auto ends = [&](const text::Unit& unit) { return unit.span.end == entity.span.end; };
  return std::ranges::any_of(units, begins) && std::ranges::any_of(units, ends);
}

/// Removes the examples with a slot that no sequence of tags can express.
void check_spans(Dataset& data) {
  std::erase_if(data.examples, [&](const Example& example) {
    if (example.entities.empty()) return false;
    const auto units = text::cut_units(text::decode_utf8(example.text));
    const auto broken = std::ranges::find_if(
        example.entities, [&](const Entity& entity) { return !begins_and_ends_units(entity, units); });
    if (broken == example.entities.end()) return false;
    data.complaints.push_back(
        {Complaint::Level::kError, example.origin,
         fmt::format("the {} at {}..{} of \"{}\" begins or ends inside a word; annotate whole words",
                     broken->name, broken->span.begin, broken->span.end, example.text)});
    return true;
  });
}

/// Letters and digits alone, case folded.
std::u32string essence(std::string_view text) {
  std::u32string out;
  for (const char32_t c : text::decode_utf8(text)) {
    const auto code_point = static_cast<utf8proc_int32_t>(c);
    const auto category = utf8proc_category(code_point);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO)
      out.push_back(static_cast<char32_t>(utf8proc_tolower(code_point)));
  }
  return out;
}

}  // namespace

void merge(Dataset from, Dataset& into) {
  append(into.examples, from.examples);
  append(into.complaints, from.complaints);
  into.synonyms.merge(from.synonyms);
  for (auto& [name, values] : from.lookups) append(into.lookups[name], values);
  for (auto& [name, patterns] : from.regexes) append(into.regexes[name], patterns);
}

void check_dataset(Dataset& data) {
  check_spans(data);
  check_counts(data);
  check_conflicts(data);
}

std::size_t remove_seen(const Dataset& seen, Dataset& data) {
  std::set<std::u32string> known;
  for (const Example& example : seen.examples) known.insert(essence(example.text));
  return std::erase_if(data.examples, [&](const Example& example) {
    return known.contains(essence(example.text)) ||
           (!example.translated_from.empty() && known.contains(essence(example.translated_from)));
  });
}

std::string to_string(const Complaint& complaint) {
  const char* level = complaint.level == Complaint::Level::kError ? "error" : "warning";
  return fmt::format("{}:{}: {}: {}", complaint.origin.file, complaint.origin.line, level, complaint.message);
}

}  // namespace kefu::train
