#include "base/json_input.h"

#include <algorithm>

namespace kefu {
namespace {

namespace dom = simdjson::dom;

/// A thread's parser does not keep more memory than a body of this size needs.
constexpr std::size_t kKeptCapacityBytes = 64 * 1024;
constexpr std::size_t kLeastCapacityBytes = 4 * 1024;

/// Why simdjson refused the body, in our words.
tl::unexpected<Error> syntax_error(simdjson::error_code error, std::string_view body,
                                   std::string_view example) {
  if (const std::size_t nul = body.find('\0'); nul != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "the body has a NUL byte at offset {}; JSON allows none", nul);
  }
  switch (error) {
    case simdjson::DEPTH_ERROR:
      return fail(Code::kInvalidArgument, "the body is nested deeper than {} levels", kMaxJsonDepth);
    case simdjson::EMPTY:
      return fail(Code::kInvalidArgument, "the body is empty; send {}", example);
    case simdjson::STRING_ERROR:
      return fail(Code::kInvalidArgument,
                  "the body is not valid JSON: a string has a broken escape (\\u must name "
                  "code points, surrogates only in pairs)");
    default:
      return fail(Code::kInvalidArgument, "the body is not valid JSON: {}", simdjson::error_message(error));
  }
}

}  // namespace

std::string_view json_type_name(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

Result<void> with_json(std::string_view body, std::string_view example,
                       absl::FunctionRef<Result<void>(const dom::element&)> use) {
  if (!simdjson::validate_utf8(body.data(), body.size()))
    return fail(Code::kInvalidArgument, "the body is not valid UTF-8");

  // The DOM parser, not on-demand: it validates what it skips. Allocated here, since parse() itself would
  // allocate with simdjson's own, far larger depth.
  thread_local dom::parser parser;
  const std::size_t capacity = std::max(body.size(), kLeastCapacityBytes);
  if (parser.capacity() < capacity && parser.allocate(capacity, kMaxJsonDepth) != simdjson::SUCCESS)
    return fail(Code::kResourceExhausted, "no memory to read a body of {} bytes", body.size());

  dom::element root;
  const simdjson::error_code error = parser.parse(body.data(), body.size()).get(root);
  Result<void> outcome = error ? syntax_error(error, body, example) : use(root);
  if (capacity > kKeptCapacityBytes) parser = dom::parser();
  return outcome;
}

Result<void> with_json_object(std::string_view body, std::string_view example,
                              absl::FunctionRef<Result<void>(const dom::object&)> use) {
  return with_json(body, example, [&](const dom::element& root) -> Result<void> {
    dom::object object;
    if (root.get(object) == simdjson::SUCCESS) return use(object);
    return fail(Code::kInvalidArgument, "the body must be a JSON object, not {}",
                json_type_name(root.type()));
  });
}

}  // namespace kefu
