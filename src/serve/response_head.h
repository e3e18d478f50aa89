#pragma once
// The bytes of a response before its body (RFC 9112 §4, §5).

#include <string>

#include "serve/http_message.h"

namespace kefu::serve {

/// Replaces `head`, whose memory serves one response after the other. `minor`: of HTTP/1.x, as the request
/// had it.
void write_head(const HttpResponse& response, unsigned minor, bool keep_alive, std::string& head);

}  // namespace kefu::serve
