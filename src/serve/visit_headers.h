#pragma once
// What the headers of an answer say of the request's way.

#include "hosting/entrance.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// What the request says of the trace that it is in.
tracing::TraceFields trace_fields(const HttpRequest& request);

/// Of a visit that has ended. Text Embeddings Inference's names, whole milliseconds: x-total-time,
/// x-tokenization-time, x-queue-time, x-inference-time; x-compute-tokens of a model that reads text. An
/// answer from a cache has the first only. traceparent: the request's span, if it is in a trace.
void add_visit_headers(const hosting::Visit& visit, HttpResponse& response);

/// Ends a visit that no model is asked for; the reply is what `make` makes, with those headers.
Reply refused(const hosting::VisitPtr& visit, Code code, Reply make);

}  // namespace kefu::serve
