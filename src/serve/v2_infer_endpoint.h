#pragma once
// POST /v2/models/{model}[/versions/{version}]/infer.

#include "serve/http_message.h"
#include "serve/services.h"

namespace kefu::serve {

Handler make_infer_endpoint(const Services& services);

}  // namespace kefu::serve
