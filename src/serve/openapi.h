#pragma once
// GET /openapi.json: the description of every route.

#include <string>

#include "serve/http_message.h"

namespace kefu::serve {

/// The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0) of this build.
std::string openapi_document();

Handler make_openapi_endpoint();

}  // namespace kefu::serve
