#pragma once
// Rasa's inline annotation: `where is [A7-20391](order_id)`, `[span](entity:value)`,
// `[span]{"entity": "plan", "role": "target", "group": "1", "value": "canonical"}`.

#include <string_view>

#include "train/dataset.h"

namespace kefu::train {

/// Fills text and entities of `example` from marked-up text. The error says what is wrong, without the place.
Result<void> parse_annotation(std::string_view marked, Example& example);

}  // namespace kefu::train
