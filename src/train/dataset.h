#pragma once
// Labelled texts: what the trainer and the evaluation read, whatever the file's format.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/unicode.h"

namespace kefu::train {

/// The intent of texts that no domain serves; never a class of its own.
constexpr const char* kOutOfScope = "out_of_scope";

/// A slot in a text.
struct Entity {
  std::string name;
  std::string role;   // empty: none
  std::string group;  // empty: none
  std::string value;  // canonical value; equal to the text of the span unless given
  text::Span span;    // code points of Example::text
};

/// Where an example was read: "domains/telecom/nlu/en.yml:17".
struct Origin {
  std::string file;
  std::size_t line = 0;
};

struct Example {
  std::string text;  // UTF-8
  std::string intent;
  std::string domain;           // empty: unknown
  std::string language;         // ISO 639-1, empty: unknown
  std::string translated_from;  // the text this one translates, empty: none
  std::vector<Entity> entities;
  Origin origin;
};

/// A thing wrong with the data; errors stop training.
struct Complaint {
  enum class Level { kWarning, kError } level = Level::kError;
  Origin origin;
  std::string message;  // what, and how to mend it
};

struct Dataset {
  std::vector<Example> examples;
  std::map<std::string, std::string> synonyms;              // spoken form -> canonical value
  std::map<std::string, std::vector<std::string>> lookups;  // entity -> values
  std::map<std::string, std::vector<std::string>> regexes;  // name -> RE2 patterns
  std::vector<Complaint> complaints;
};

/// Moves everything of `from` to the end of `into`.
void merge(Dataset from, Dataset& into);

/// Checks of the whole: slots that begin or end inside a word (their examples are removed), an intent with
/// fewer than three examples, equal texts with two intents.
void check_dataset(Dataset& data);

/// Removes from `data` the examples that also occur in `seen`, or translate a text that does; letter case,
/// white space and punctuation make no difference. Returns how many were removed.
std::size_t remove_seen(const Dataset& seen, Dataset& data);

/// "file:line: error: message".
std::string to_string(const Complaint& complaint);

}  // namespace kefu::train
