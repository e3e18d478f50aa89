#pragma once
// JSON from strangers: checked whole, bounded in depth, with complaints that name the fault.

#include <string_view>

#include <absl/functional/function_ref.h>
#include <simdjson.h>

#include "base/result.h"

namespace kefu {

inline constexpr std::size_t kMaxJsonDepth = 64;

/// Parses `body` and calls `use` with its root, which lives until `use` returns. `example` is what a body
/// should look like. kInvalidArgument: not UTF-8, empty, not JSON, or nested deeper than kMaxJsonDepth;
/// kResourceExhausted: no memory; else what `use` returns. Thread-safe; each thread keeps a small parser.
Result<void> with_json(std::string_view body, std::string_view example,
                       absl::FunctionRef<Result<void>(const simdjson::dom::element&)> use);

/// The same for a body that must be an object.
Result<void> with_json_object(std::string_view body, std::string_view example,
                              absl::FunctionRef<Result<void>(const simdjson::dom::object&)> use);

/// "an array", "a number", …, for complaints.
std::string_view json_type_name(simdjson::dom::element_type type);

}  // namespace kefu
