#pragma once
// Which trace a request belongs to (W3C Trace Context, https://www.w3.org/TR/trace-context/).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kefu::tracing {

/// A span of a trace. Neither id is 0.
struct TraceContext {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;
  bool is_sampled = false;

  bool operator==(const TraceContext&) const = default;
};

/// What a caller sends; empty: nothing.
struct TraceFields {
  std::string_view traceparent{};
  std::string_view tracestate{};
};

/// Of the field traceparent; none if it is absent or not valid.
std::optional<TraceContext> parse_traceparent(std::string_view field);

/// The field tracestate as it is passed on: unchanged, or nothing if it is longer than 512 characters or
/// holds others than printable ASCII.
std::string_view passable_tracestate(std::string_view field);

/// Version 00.
std::string to_traceparent(const TraceContext& context);

/// A new span of the same trace. Thread-safe, as the next.
TraceContext child_of(const TraceContext& parent);

/// A new trace.
TraceContext new_trace(bool is_sampled);

/// A chance, for sampling.
bool happens(double share);

}  // namespace kefu::tracing
