#pragma once
// POST /model/parse.

#include <cstddef>

#include "nlu/service.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The handler; `service` must outlive it.
Handler make_parse_endpoint(nlu::NluService& service, std::size_t max_text_code_points);

}  // namespace kefu::serve
