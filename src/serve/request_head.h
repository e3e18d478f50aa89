#pragma once
// A request's line and fields as endpoints see them. Internal to serve: includes Beast.

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serve/http_message.h"

namespace kefu::serve {

/// Everything but the body. Fields that endpoints do not read are left out.
HttpRequest read_head(const boost::beast::http::request<boost::beast::http::string_body>& message);

}  // namespace kefu::serve
