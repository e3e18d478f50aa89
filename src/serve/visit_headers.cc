#include "serve/visit_headers.h"

#include <chrono>

namespace kefu::serve {
namespace {

constexpr std::size_t kUsualHeaders = 10;

std::string milliseconds(runtime::Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

tracing::TraceFields trace_fields(const HttpRequest& request) {
  return {request.traceparent, request.tracestate};
}

void add_visit_headers(const hosting::Visit& visit, HttpResponse& response) {
  const runtime::Moments& moments = visit.moments;
  auto& headers = response.headers;
  headers.reserve(kUsualHeaders);
  const std::optional<tracing::TraceContext>& trace = visit.trace();
  if (trace) headers.emplace_back("traceparent", tracing::to_traceparent(*trace));
  if (!visit.trace_state().empty()) headers.emplace_back("tracestate", visit.trace_state());
  headers.emplace_back("x-total-time", milliseconds(visit.ended() - moments.received));
  if (moments.copied_out == runtime::Time()) return;
  headers.emplace_back("x-tokenization-time", milliseconds(moments.queued - moments.received));
  headers.emplace_back("x-queue-time", milliseconds(moments.taken - moments.queued));
  headers.emplace_back("x-inference-time", milliseconds(moments.computed - moments.taken));
  if (visit.reads_text()) headers.emplace_back("x-compute-tokens", std::to_string(moments.tokens));
}

Reply refused(const hosting::VisitPtr& visit, Code code, Reply make) {
  visit->end(code);
  return [visit, make = std::move(make)] {
    HttpResponse response = make();
    add_visit_headers(*visit, response);
    return response;
  };
}

}  // namespace kefu::serve
