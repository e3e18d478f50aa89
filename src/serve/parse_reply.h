#pragma once
// The reply of POST /model/parse.

#include <chrono>
#include <string>

#include "nlu/reply.h"

namespace kefu::serve {

/// JSON in Rasa's shape (https://rasa.com/docs/rasa/pages/http-api, ParseResult) with our additions:
/// language, domain, model, out_of_scope, windows, truncated, timings_ms. Offsets are code points. `total` is
/// the time from the request's arrival until now.
std::string write_parse_reply(const nlu::ParseReply& reply, std::chrono::microseconds total);

}  // namespace kefu::serve
