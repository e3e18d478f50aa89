#pragma once
// POST /model/parse.

#include <cstddef>

#include "serve/http_message.h"
#include "serve/services.h"

namespace kefu::serve {

Handler make_parse_endpoint(const Services& services, std::size_t max_text_code_points);

}  // namespace kefu::serve
