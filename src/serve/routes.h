#pragma once
// The table of all endpoints.

#include "serve/http_settings.h"
#include "serve/router.h"
#include "serve/services.h"

namespace kefu::serve {

Router make_routes(const HttpSettings& settings, const Services& services);

}  // namespace kefu::serve
