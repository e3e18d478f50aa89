#pragma once
// Result<T>: a value or an Error. Nothing throws on the request path; libraries that throw are wrapped
// where they are called. The alias is owned here so that std::expected can take its place.

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace kefu {

/// The canonical codes of gRPC without `ok` (https://grpc.io/docs/guides/status-codes/).
enum class Code {
  kCancelled,
  kUnknown,
  kInvalidArgument,
  kDeadlineExceeded,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kResourceExhausted,
  kFailedPrecondition,
  kAborted,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kUnavailable,
  kDataLoss,
  kUnauthenticated,
};

/// A code and one sentence that names the value at fault and, where there is one, the remedy.
struct Error {
  Code code = Code::kUnknown;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// `return fail(Code::kNotFound, "no model '{}' in {}", name, folder);`
template <typename... Args>
tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// The code's name on the wire: "INVALID_ARGUMENT".
std::string_view code_name(Code code);

/// The HTTP status of a code; the one table for all endpoints.
int http_status(Code code);

}  // namespace kefu

/// Leaves the enclosing function with the error of `result`, an lvalue or rvalue of any Result<T>.
#define KEFU_CHECK(result)                                                                 \
  do {                                                                                     \
    if (auto&& kefu_checked = (result); !kefu_checked.has_value())                         \
      return ::tl::unexpected(std::forward<decltype(kefu_checked)>(kefu_checked).error()); \
  } while (false)

#define KEFU_CONCAT_INNER(a, b) a##b
#define KEFU_CONCAT(a, b) KEFU_CONCAT_INNER(a, b)

/// `KEFU_ASSIGN(auto file, read_file(path));` declares or assigns from a Result, or returns its error.
#define KEFU_ASSIGN(declaration, ...) \
  KEFU_ASSIGN_INNER(KEFU_CONCAT(kefu_result_, __LINE__), declaration, __VA_ARGS__)
#define KEFU_ASSIGN_INNER(name, declaration, ...)                          \
  auto name = (__VA_ARGS__);                                               \
  if (!name.has_value()) return ::tl::unexpected(std::move(name).error()); \
  declaration = *std::move(name)
