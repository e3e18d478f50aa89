#pragma once
// POST /model/parse.

#include <cstddef>

#include "hosting/entrance.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The handler; `entrance` must outlive it.
Handler make_parse_endpoint(hosting::Entrance& entrance, std::size_t max_text_code_points);

}  // namespace kefu::serve
