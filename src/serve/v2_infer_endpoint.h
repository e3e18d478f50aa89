#pragma once
// POST /v2/models/{model}[/versions/{version}]/infer.

#include "hosting/entrance.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The handler; `entrance` must outlive it.
Handler make_infer_endpoint(hosting::Entrance& entrance);

}  // namespace kefu::serve
