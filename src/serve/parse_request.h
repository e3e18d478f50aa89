#pragma once
// The body of POST /model/parse.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "nlu/reply.h"

namespace kefu::serve {

/// Reads {"text": string, "language": string?}; other members are ignored, of equal ones the last counts.
/// "language" may be empty or null (identify it) or a tag whose first part is taken ("es-MX" → "es").
/// Safe for any bytes; never quotes the text in an error.
/// kInvalidArgument: not UTF-8, not JSON, wrong types, U+0000 in a string.
/// kOutOfRange: more than `max_code_points` code points in the text.
Result<nlu::ParseRequest> read_parse_request(std::string_view body, std::size_t max_code_points);

}  // namespace kefu::serve
