#pragma once
// Bodies of orders: JSON objects.

#include "base/json.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// The body's JSON object; an empty body is an empty one. kInvalidArgument.
inline Result<Json> read_json_body(const HttpRequest& request) {
  if (request.body.empty()) return Json::object();
  Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return fail(Code::kInvalidArgument, "the body must be a JSON object, or empty");
  return body;
}

}  // namespace kefu::serve
