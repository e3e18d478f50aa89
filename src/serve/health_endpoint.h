#pragma once
// Probes and /version.

#include <functional>

#include "hosting/model_table.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// GET /health/live: 200 as long as the I/O thread runs.
Handler make_live_endpoint();

/// GET /health/ready: 200, or 503 while models load and from the start of a shutdown. Both arguments are
/// asked on I/O threads and must outlive the handler.
Handler make_ready_endpoint(const hosting::ModelTable& models, std::function<bool()> draining);

/// GET /version: this build and the loaded models.
Handler make_version_endpoint(const hosting::ModelTable& models);

}  // namespace kefu::serve
