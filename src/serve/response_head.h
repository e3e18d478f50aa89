#pragma once
// The bytes of a response before its body (RFC 9112 §4, §5).

#include <string>

#include "serve/http_message.h"

namespace kefu::serve {

/// `minor`: of HTTP/1.x, as the request had it.
std::string write_head(const HttpResponse& response, unsigned minor, bool keep_alive);

}  // namespace kefu::serve
