#include "train/dataset.h"

#include <iterator>
#include <unordered_map>

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

}  // namespace

void merge(Dataset from, Dataset& into) {
  append(into.examples, from.examples);
  append(into.complaints, from.complaints);
  into.synonyms.merge(from.synonyms);
  for (auto& [name, values] : from.lookups) append(into.lookups[name], values);
  for (auto& [name, patterns] : from.regexes) append(into.regexes[name], patterns);
}

void check_dataset(Dataset& data) {
  check_counts(data);
  check_conflicts(data);
}

std::string to_string(const Complaint& complaint) {
  const char* level = complaint.level == Complaint::Level::kError ? "error" : "warning";
  return fmt::format("{}:{}: {}: {}", complaint.origin.file, complaint.origin.line, level, complaint.message);
}

}  // namespace kefu::train
