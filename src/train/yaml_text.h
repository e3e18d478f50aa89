#pragma once
// YAML of people's files into yaml-cpp nodes; the only place of this folder where yaml-cpp may throw.

#include <string_view>

#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace kefu::train {

/// The one document of `text` (valid UTF-8). kInvalidArgument with file:line for malformed YAML, control
/// characters (yaml-cpp would take U+0004 for the end), a second document, and nesting deeper than 64.
/// Of the nodes, ask only what cannot throw: Is…(), Mark(), Scalar(), iteration.
Result<YAML::Node> parse_yaml(std::string_view text, std::string_view file);

}  // namespace kefu::train
