#pragma once
// JSON lists of examples, with the line of each.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kefu::train {

/// An object of lists, {"key": [example, …]}, where an example is a list or an object.
struct LinedJson {
  Json root;
  std::map<std::string, std::vector<std::size_t>> lines;  // key -> line of each example, from 1
};

/// `text` is valid UTF-8. kInvalidArgument with file:line if it is not JSON or not an object of lists.
Result<LinedJson> parse_lined_json(std::string_view text, std::string_view file);

}  // namespace kefu::train
