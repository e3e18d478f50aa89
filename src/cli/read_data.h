#pragma once
// The data arguments of train and evaluate.

#include <string>
#include <vector>

#include "text/language.h"
#include "train/dataset.h"

namespace kefu::cli {

/// Reads and merges data sets; a domain folder means its part `test`. Prints the complaints on standard
/// error; the examples concerned are left out.
Result<train::Dataset> read_test_data(const std::vector<std::string>& arguments);

/// The part `nlu` as it is, without complaints: for comparisons.
Result<train::Dataset> read_seen_data(const std::vector<std::string>& arguments);

/// The part `nlu` with the checks that need all examples; errors among the complaints stop unless `lenient`.
Result<train::Dataset> read_training_data(const std::vector<std::string>& arguments,
                                          const text::LanguageIdentifier& languages, bool lenient);

}  // namespace kefu::cli
