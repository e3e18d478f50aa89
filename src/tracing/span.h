#pragma once
// What a trace is told of a request.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/moments.h"
#include "tracing/trace_context.h"

namespace kefu::tracing {

struct Span {
  TraceContext context{};
  std::uint64_t parent = 0;      // span of the caller; 0: none
  std::string state{};           // tracestate of the caller
  std::string_view api{};        // "v2", a literal as the next
  std::string_view interface{};  // "http", "grpc"
  std::string model{};           // empty: none was chosen
  std::string version{};
  std::optional<Code> failure{};  // none: it was answered
  runtime::Moments moments{};     // each reached stage becomes a child
  runtime::Time ended{};
};

}  // namespace kefu::tracing
