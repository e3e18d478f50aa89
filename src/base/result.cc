#include "base/result.h"

#include <array>

namespace kefu {
namespace {

struct CodeRow {
  std::string_view name;
  int http;
};

/// In the order of Code.
constexpr std::array<CodeRow, 16> kCodes{{
    {"CANCELLED", 499},
    {"UNKNOWN", 500},
    {"INVALID_ARGUMENT", 400},
    {"DEADLINE_EXCEEDED", 504},
    {"NOT_FOUND", 404},
    {"ALREADY_EXISTS", 409},
    {"PERMISSION_DENIED", 403},
    {"RESOURCE_EXHAUSTED", 429},
    {"FAILED_PRECONDITION", 400},
    {"ABORTED", 409},
    {"OUT_OF_RANGE", 413},
    {"UNIMPLEMENTED", 501},
    {"INTERNAL", 500},
    {"UNAVAILABLE", 503},
    {"DATA_LOSS", 500},
    {"UNAUTHENTICATED", 401},
}};

}  // namespace

std::string_view code_name(Code code) {
  return kCodes[static_cast<std::size_t>(code)].name;
}

int http_status(Code code) {
  return kCodes[static_cast<std::size_t>(code)].http;
}

}  // namespace kefu
