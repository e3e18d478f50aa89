#pragma once
// A request's line and fields as endpoints see them. Internal to serve: includes Beast.

#include <memory_resource>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include "serve/http_message.h"

namespace kefu::serve {

/// In memory that is given back with the whole request.
using RequestFields = boost::beast::http::basic_fields<std::pmr::polymorphic_allocator<char>>;

/// Everything but the body. Fields that endpoints do not read are left out.
HttpRequest read_head(const boost::beast::http::request_header<RequestFields>& message);

}  // namespace kefu::serve
