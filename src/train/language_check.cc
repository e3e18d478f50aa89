#include "train/language_check.h"

#include <algorithm>
#include <map>

namespace kefu::train {
namespace {

constexpr float kSure = 0.9F;
constexpr std::size_t kLeastBytes = 24;  // of a text that is judged

struct File {
  std::string language;
  std::map<std::string, std::vector<const Example*>> sure;  // by language
};

std::map<std::string, File> by_file(const text::LanguageIdentifier& identifier, const Dataset& data) {
  std::map<std::string, File> files;
  for (const Example& example : data.examples) {
    File& file = files[example.origin.file];
    file.language = example.language;
    if (example.text.size() < kLeastBytes) continue;
    const text::Language language = identifier.identify(example.text);
    if (language.confidence >= kSure) file.sure[language.code].push_back(&example);
  }
  return files;
}

std::string majority(const File& file) {
  const auto most =
      std::ranges::max_element(file.sure, {}, [](const auto& entry) { return entry.second.size(); });
  return most == file.sure.end() ? std::string() : most->first;
}

}  // namespace

void check_languages(const text::LanguageIdentifier& identifier, Dataset& data) {
  for (const auto& [name, file] : by_file(identifier, data)) {
    const std::string expected = file.language.empty() ? majority(file) : file.language;
    for (const auto& [language, examples] : file.sure) {
      if (language == expected) continue;
      for (const Example* example : examples) {
        data.complaints.push_back(
            {Complaint::Level::kWarning, example->origin,
             fmt::format("\"{}\" is in {}, the other texts of this file are in {}; move it to {}.yml",
                         example->text, language, expected, language)});
      }
    }
  }
}

}  // namespace kefu::train
