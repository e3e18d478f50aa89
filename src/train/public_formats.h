#pragma once
// One reader for each format of public data; read_dataset() is the way in. What is wrong with single examples
// becomes a complaint and the example is left out; what makes the file unreadable is the error, with the
// line.

#include <filesystem>
#include <string>

#include "train/dataset.h"

namespace kefu::train {

/// BANKING77 (Casanueva et al. 2020): CSV `text,category`; English.
Result<Dataset> read_banking(const std::filesystem::path& path);

/// Bitext's customer-support sample: CSV
/// `utterance,intent,entity_type,entity_value,start_offset,end_offset,…` with at most one slot a row;
/// English.
Result<Dataset> read_bitext(const std::filesystem::path& path);

/// CLINC150 (Larson et al. 2019): JSON {"train": [[text, intent], …], "oos_train": …}; plain or gzip. `split`
/// is train, val or test; its out-of-scope texts come too, with the intent kOutOfScope. English.
Result<Dataset> read_clinc(const std::filesystem::path& path, const std::string& split);

/// CoNLL as xSID (van der Goot et al. 2021) has it: `# text`, `# intent`, rows `index TAB word TAB intent TAB
/// BIO-label`, a blank line between sentences. The language is that of the file's name.
Result<Dataset> read_conll(const std::filesystem::path& path);

/// SNIPS (Coucke et al. 2018): JSON {Intent: [{"data": [{"text": …, "entity": …}, …]}, …]}; English. A folder
/// means all its files of `split`: train_full, train (the small files) or validate.
Result<Dataset> read_snips(const std::filesystem::path& path, const std::string& split);

}  // namespace kefu::train
