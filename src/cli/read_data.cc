#include "cli/read_data.h"

#include <filesystem>
#include <iostream>

#include "train/language_check.h"
#include "train/public_readers.h"
#include "train/rasa_reader.h"

namespace kefu::cli {
namespace {

Result<train::Dataset> read_data(const std::vector<std::string>& arguments, const std::string& part) {
  train::Dataset data;
  for (const std::string& argument : arguments) {
    if (std::filesystem::is_directory(argument)) {
      KEFU_ASSIGN(train::Dataset domain, train::read_domain(argument, part));
      train::merge(std::move(domain), data);
    } else {
      KEFU_ASSIGN(const train::DatasetSpec spec, train::parse_dataset_spec(argument));
      KEFU_ASSIGN(train::Dataset set, train::read_dataset(spec));
      train::merge(std::move(set), data);
    }
  }
  return data;
}

/// The number of errors among the complaints.
std::size_t print_complaints(const train::Dataset& data) {
  std::size_t errors = 0;
  for (const train::Complaint& complaint : data.complaints) {
    std::cerr << train::to_string(complaint) << "\n";
    errors += complaint.level == train::Complaint::Level::kError ? 1 : 0;
  }
  return errors;
}

}  // namespace

Result<train::Dataset> read_test_data(const std::vector<std::string>& arguments) {
  KEFU_ASSIGN(train::Dataset data, read_data(arguments, "test"));
  print_complaints(data);
  return data;
}

Result<train::Dataset> read_seen_data(const std::vector<std::string>& arguments) {
  return read_data(arguments, "nlu");
}

Result<train::Dataset> read_training_data(const std::vector<std::string>& arguments,
                                          const text::LanguageIdentifier& languages, bool lenient) {
  KEFU_ASSIGN(train::Dataset data, read_data(arguments, "nlu"));
  train::check_dataset(data);
  train::check_languages(languages, data);
  const std::size_t errors = print_complaints(data);
  if (errors == 0 || lenient) return data;
  return fail(Code::kInvalidArgument,
              "the data has {} error{}; mend them, or train in spite of them with --lenient", errors,
              errors == 1 ? "" : "s");
}

}  // namespace kefu::cli
