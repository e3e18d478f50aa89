#pragma once
// Finds texts in the wrong language file.

#include "text/language.h"
#include "train/dataset.h"

namespace kefu::train {

/// A warning for each text that is surely in another language than its file: the one the file's name states
/// (de.yml), else the one most of its texts are in. Short texts are never sure.
void check_languages(const text::LanguageIdentifier& identifier, Dataset& data);

}  // namespace kefu::train
