#pragma once
// What a failure looks like on the wire: Rasa's shape on /model/parse, that of the Open Inference
// Protocol below /v2, RFC 9457 elsewhere.

#include <string_view>

#include "base/result.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// "Not Found" for 404; "Error" for a status without a row.
std::string_view reason_phrase(int status);

/// A response for a failure that has an HTTP status but no Error (405, 413, 415, …). `detail` is a sentence
/// that names the fault and the remedy and holds no text of the customer.
HttpResponse error_response(const HttpRequest& request, int status, std::string_view detail);

/// The same for an Error; the status is http_status(error.code). 429 and 503 carry Retry-After.
HttpResponse error_response(const HttpRequest& request, const Error& error);

/// 415 to a body that should have been JSON.
HttpResponse not_json(const HttpRequest& request);

}  // namespace kefu::serve
