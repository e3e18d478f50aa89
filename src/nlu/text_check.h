#pragma once
// What holds for texts and languages, however they come.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu::nlu {

/// `what` is how the message calls the text, which it never quotes. kInvalidArgument: not UTF-8, or U+0000 in
/// it; kOutOfRange: more than `max_code_points` code points.
Result<void> check_text(std::string_view what, std::string_view text, std::size_t max_code_points);

/// "es-MX" -> "es"; empty stays empty. kInvalidArgument: no language tag.
Result<std::string> read_language_code(std::string_view tag);

}  // namespace kefu::nlu
