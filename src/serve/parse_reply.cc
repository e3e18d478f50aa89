#include "serve/parse_reply.h"

#include "base/json_write.h"
#include "nlu/entity_json.h"

namespace kefu::serve {
namespace {

void write_intent(JsonWriter& json, const nlu::RankedIntent& intent) {
  json.StartObject();
  write_member(json, "name", intent.name);
  write_member(json, "confidence", intent.confidence);
  json.EndObject();
}

void write_time(JsonWriter& json, std::string_view key, std::chrono::microseconds time) {
  write_member(json, key, static_cast<double>(time.count()) / 1000);
}

void write_timings(JsonWriter& json, const nlu::Timings& timings, std::chrono::microseconds total) {
  json.Key("timings_ms");
  json.StartObject();
  write_time(json, "tokenize", timings.tokenize);
  write_time(json, "queue", timings.queue);
  write_time(json, "infer", timings.infer);
  write_time(json, "heads", timings.heads);
  write_time(json, "total", total);
  json.EndObject();
}

/// What Rasa does not have.
void write_additions(JsonWriter& json, const nlu::ParseReply& reply) {
  json.Key("language");
  json.StartObject();
  write_member(json, "code", reply.language.code);
  write_member(json, "confidence", reply.language.confidence);
  json.EndObject();
  write_member(json, "domain", reply.intent.domain);
  json.Key("model");
  json.StartObject();
  write_member(json, "name", reply.model);
  write_member(json, "version", reply.version);
  json.EndObject();
  json.Key("out_of_scope");
  json.StartObject();
  write_member(json, "score", reply.out_of_scope.score);
  json.Key("decision");
  json.Bool(reply.out_of_scope.decision);
  json.EndObject();
  json.Key("windows");
  json.Uint64(reply.windows);
  json.Key("truncated");
  json.Bool(reply.truncated);
}

}  // namespace

std::string write_parse_reply(const nlu::ParseReply& reply, std::chrono::microseconds total) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "text", reply.text);
  json.Key("intent");
  write_intent(json, reply.intent);
  json.Key("entities");
  nlu::write_entities(json, reply);
  json.Key("intent_ranking");
  json.StartArray();
  for (const nlu::RankedIntent& intent : reply.ranking) write_intent(json, intent);
  json.EndArray();
  write_additions(json, reply);
  write_timings(json, reply.timings, total);
  json.EndObject();
  return written.str();
}

}  // namespace kefu::serve
