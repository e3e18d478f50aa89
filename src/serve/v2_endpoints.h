#pragma once
// The Open Inference Protocol v2 over HTTP, with Triton's extensions
// (https://github.com/kserve/open-inference-protocol, triton-inference-server/server docs/protocol).

#include "serve/router.h"
#include "serve/services.h"

namespace kefu::serve {

/// Everything below /v2 but the repository. `models` must outlive the routes; `draining` is asked on I/O
/// threads.
std::vector<Route> v2_routes(const Services& services);

}  // namespace kefu::serve
