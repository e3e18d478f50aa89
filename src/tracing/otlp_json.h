#pragma once
// Spans as the OpenTelemetry protocol has them over HTTP
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "tracing/span.h"

namespace kefu::tracing {

/// An ExportTraceServiceRequest; the same spans give the same text, so that one sent twice is known for one.
/// `wall`: what to add to a moment to have the time since 1970. A request is a
/// span of kind SERVER, its stages are spans of kind INTERNAL below it, named as the metrics of their
/// durations.
std::string write_otlp(std::span<const Span> spans, std::string_view service_name,
                       std::chrono::nanoseconds wall);

}  // namespace kefu::tracing
