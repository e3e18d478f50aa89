#pragma once
// Rasa's NLU training data (https://rasa.com/docs/rasa/training-data-format) and domain folders made of it.

#include <filesystem>
#include <string_view>

#include "train/dataset.h"

namespace kefu::train {

/// Reads the text of one file; `file` names it in origins. What is wrong with single examples becomes a
/// Complaint; text that is no YAML is kInvalidArgument with file:line.
Result<Dataset> parse_rasa(std::string_view yaml, const std::string& file);

Result<Dataset> read_rasa_file(const std::filesystem::path& file);

/// Every `<folder>/<part>/*.yml`, language by file name (es.yml, es-returns.yml), domain by the folder's
/// domain.yml (`domain: name`), else its name. kNotFound if there is no file.
Result<Dataset> read_domain(const std::filesystem::path& folder, const std::string& part);

}  // namespace kefu::train
