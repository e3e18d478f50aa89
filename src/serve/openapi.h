#pragma once
// GET /openapi.json: the description of every route.

#include <string>
#include <vector>

#include "serve/router.h"

namespace kefu::serve {

/// The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0) of a server with these routes.
std::string openapi_document(const std::vector<Route>& routes);

Handler make_openapi_endpoint(const std::vector<Route>& routes);

}  // namespace kefu::serve
