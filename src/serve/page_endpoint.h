#pragma once
// GET /: the try-it page for browsers, one line of text for everyone else.

#include "serve/http_message.h"

namespace kefu::serve {

/// The page is web/index.html, part of the binary (cmake/Embed.cmake).
Handler make_page_endpoint();

}  // namespace kefu::serve
