#pragma once
// The data arguments of train and evaluate.

#include <string>
#include <vector>

#include "train/dataset.h"

namespace kefu::cli {

/// Reads and merges data sets; a domain folder means its part `test`. Prints the complaints on standard
/// error; the examples concerned are left out.
Result<train::Dataset> read_test_data(const std::vector<std::string>& arguments);

/// The same of the part `nlu`, with the checks that need all examples; errors stop unless `lenient`.
Result<train::Dataset> read_training_data(const std::vector<std::string>& arguments, bool lenient);

}  // namespace kefu::cli
