#pragma once
// POST /v2/models/{model}[/versions/{version}]/infer.

#include "hosting/model_table.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The handler; `models` must outlive it.
Handler make_infer_endpoint(const hosting::ModelTable& models);

}  // namespace kefu::serve
