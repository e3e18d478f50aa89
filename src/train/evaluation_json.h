#pragma once
// An evaluation as JSON (report.json of a package). Holds figures and names, never a customer's text.

#include "base/json.h"
#include "train/evaluation.h"

namespace kefu::train {

/// Shares are 0..1; a figure that is not defined is null.
Json evaluation_json(const Evaluation& evaluation);

/// The same as indented text ending in a line feed; bytes of a name that are not UTF-8 become U+FFFD.
std::string evaluation_json_text(const Evaluation& evaluation);

}  // namespace kefu::train
