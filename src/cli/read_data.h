#pragma once
// The data arguments of train and evaluate.

#include <string>
#include <vector>

#include "text/language.h"
#include "train/dataset.h"

namespace kefu::cli {

/// Reads and merges data sets; a domain folder means its part `part` ("nlu" or "test").
Result<train::Dataset> read_data(const std::vector<std::string>& arguments, const std::string& part);

/// read_data() of the training part with every check. Prints the complaints on standard error; errors among
/// them stop unless `lenient`.
Result<train::Dataset> read_training_data(const std::vector<std::string>& arguments,
                                          const text::LanguageIdentifier& languages, bool lenient);

}  // namespace kefu::cli
