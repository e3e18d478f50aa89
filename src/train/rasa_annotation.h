#pragma once
// One training text with its slots written inline, as Rasa has it
// (https://rasa.com/docs/rasa/nlu-training-data, "Entities").

#include <string>
#include <string_view>
#include <vector>

#include "train/dataset.h"

namespace kefu::train {

struct Annotated {
  std::string text;  // plain, without annotation
  std::vector<Entity> entities;
  std::string fault;  // the first thing wrong and how to mend it; empty: none, and only then the rest counts
};

/// Reads `[span](entity)`, `[span](entity:value)`, `[span]{"entity": …, "role": …, "group": …, "value": …}`
/// and `[span][{…}, {…}]` (several slots on one span). A bracket pair with none of these behind it is text,
/// as in Rasa; `\[` and `\]` are single brackets of the text (ours). Any valid UTF-8 is allowed.
Annotated parse_annotated(std::string_view line);

}  // namespace kefu::train
