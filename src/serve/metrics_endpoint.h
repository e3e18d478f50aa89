#pragma once
// GET /metrics: what Prometheus scrapes.

#include "serve/http_message.h"
#include "serve/services.h"

namespace kefu::serve {

/// All families in Prometheus' text format: those of Triton's names (nv_*) and our own (kefu_*). Takes no
/// lock that a request waits for; a shared one on the table of models. For a server of one thread.
Handler make_metrics_endpoint(const Services& services);

}  // namespace kefu::serve
