#include "nlu/entity_json.h"

namespace kefu::nlu {
namespace {

void write_entity(JsonWriter& json, const ParsedEntity& entity) {
  json.StartObject();
  write_member(json, "entity", entity.entity);
  json.Key("start");
  json.Uint(entity.span.begin);
  json.Key("end");
  json.Uint(entity.span.end);
  write_member(json, "confidence_entity", entity.confidence);
  write_member(json, "value", entity.value);
  write_member(json, "extractor", "KefuCrf");
  if (!entity.role.empty()) write_member(json, "role", entity.role);
  if (!entity.group.empty()) write_member(json, "group", entity.group);
  json.EndObject();
}

}  // namespace

void write_entities(JsonWriter& json, const ParseReply& reply) {
  json.StartArray();
  for (const ParsedEntity& entity : reply.entities) write_entity(json, entity);
  json.EndArray();
}

std::string write_entities(const ParseReply& reply) {
  JsonText written;
  JsonWriter& json = written.json();
  write_entities(json, reply);
  return written.str();
}

}  // namespace kefu::nlu
