#include <cstdint>

#include "tracing/trace_context.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view field(reinterpret_cast<const char*>(data), size);
  const auto context = kefu::tracing::parse_traceparent(field);
  if (context && kefu::tracing::parse_traceparent(kefu::tracing::to_traceparent(*context)) != context)
    __builtin_trap();
  const std::string_view state = kefu::tracing::passable_tracestate(field);
  if (!state.empty() && state != field) __builtin_trap();
  return 0;
}
