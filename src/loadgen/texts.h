#pragma once
// Messages to send.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loadgen/histogram.h"

namespace kefu::loadgen {

/// One a line, without the line's end; empty lines are left out. kInvalidArgument, naming `source`: no texts,
/// or a line that is not UTF-8.
Result<std::vector<std::string>> split_texts(std::string_view content, std::string_view source);

/// How long they are, in bytes.
Histogram text_lengths(const std::vector<std::string>& texts);

}  // namespace kefu::loadgen
