#pragma once
// Entities of a reply as JSON, in Rasa's shape (https://rasa.com/docs/rasa/pages/http-api, ParseResult).

#include <string>

#include "base/json_write.h"
#include "nlu/reply.h"

namespace kefu::nlu {

/// An array. Offsets are code points.
void write_entities(JsonWriter& json, const ParseReply& reply);
std::string write_entities(const ParseReply& reply);

}  // namespace kefu::nlu
