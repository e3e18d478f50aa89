#pragma once
// Data sets by name: "format:path#split".

#include <filesystem>
#include <string>
#include <string_view>

#include "train/dataset.h"

namespace kefu::train {

struct DatasetSpec {
  std::filesystem::path path;
  std::string format;  // banking, bitext, clinc, conll, rasa, snips
  std::string split;   // what the format calls its parts; empty: it has none
};

/// Reads "clinc:data_full.json.gz#test", "banking:train.csv", "bitext:….csv", "conll:en.valid.conll",
/// "snips:folder#validate" (or one file), "rasa:domains/telecom#test"; a path alone is rasa, and rasa's split
/// is nlu unless stated. Looks at no file. kInvalidArgument for an unknown format, an unknown, missing or
/// unwanted split, and an empty path.
Result<DatasetSpec> parse_dataset_spec(std::string_view spec);

/// The set's examples with what is wrong in them. Pure function of the files: any thread. Errors name the
/// file, and the line where there is one.
Result<Dataset> read_dataset(const DatasetSpec& spec);

}  // namespace kefu::train
