#pragma once
// POST /model/parse.

#include <cstddef>

#include "hosting/model_table.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The handler; `models` must outlive it.
Handler make_parse_endpoint(const hosting::ModelTable& models, std::size_t max_text_code_points);

}  // namespace kefu::serve
