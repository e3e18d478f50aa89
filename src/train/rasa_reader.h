#pragma once
// Training texts in Rasa's YAML (https://rasa.com/docs/rasa/nlu-training-data): `nlu:` with items `intent:`,
// `synonym:`, `regex:` or `lookup:` and their `examples:`. Pure functions of the files: any thread.

#include <filesystem>
#include <string>
#include <string_view>

#include "train/dataset.h"

namespace kefu::train {

/// Reads YAML text; `file` names it in origins and complaints. Wrong examples are left out and complained of,
/// with their line. A value that differs from its span becomes a synonym too, as in Rasa.
/// kInvalidArgument with file:line only if it is not YAML that can be read (see parse_yaml()).
Result<Dataset> parse_rasa(std::string_view yaml, const std::string& file);

/// parse_rasa() of a file (gzip allowed); the examples' language is that of the file's name (es.yml), if it
/// has one.
Result<Dataset> read_rasa_file(const std::filesystem::path& path);

/// All <folder>/<part>/*.yml in the order of their names; `part` is "nlu" or "test". The examples' domain is
/// the key `domain` of <folder>/domain.yml, else the folder's name. kNotFound if there is no such file.
Result<Dataset> read_domain(const std::filesystem::path& folder, std::string_view part);

}  // namespace kefu::train
