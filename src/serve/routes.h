#pragma once
// The table of all endpoints.

#include <functional>

#include "hosting/model_table.h"
#include "serve/http_settings.h"
#include "serve/router.h"

namespace kefu::serve {

/// `models` must outlive the router. `draining` is asked on I/O threads: true from the start of a shutdown.
Router make_routes(const HttpSettings& settings, hosting::ModelTable& models, std::function<bool()> draining);

}  // namespace kefu::serve
