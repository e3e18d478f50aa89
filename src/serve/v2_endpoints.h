#pragma once
// The Open Inference Protocol v2 over HTTP, in Triton's superset: health, metadata, inference.

#include <vector>

#include "nlu/service.h"
#include "serve/http_settings.h"
#include "serve/router.h"

namespace kefu::serve {

/// The routes under /v2. Service and `draining` must outlive them.
std::vector<Route> v2_routes(const HttpSettings& settings, nlu::NluService& service,
                             std::function<bool()> draining);

}  // namespace kefu::serve
