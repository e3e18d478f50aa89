#include "serve/health_endpoint.h"

#include "base/version.h"
#include "serve/error_reply.h"
#include "serve/json_write.h"

namespace kefu::serve {
namespace {

HttpResponse uncached(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

std::string version_body(const nlu::NluService& service) {
  rapidjson::StringBuffer buffer;
  JsonWriter json(buffer);
  json.StartObject();
  write_member(json, "name", "kefu");
  write_member(json, "version", version());
  json.Key("models");
  json.StartArray();
  for (const nlu::ModelName& model : service.models()) {
    json.StartObject();
    write_member(json, "name", model.name);
    write_member(json, "version", model.version);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

Handler make_live_endpoint() {
  return [](const RequestPtr&, const Respond& respond) {
    respond([] { return uncached(R"({"status":"live"})"); });
  };
}

Handler make_ready_endpoint(const nlu::NluService& service, std::function<bool()> draining) {
  return [&service, draining = std::move(draining)](const RequestPtr& request, const Respond& respond) {
    respond([&service, &draining, request] {
      if (draining()) return error_response(*request, 503, "the server is shutting down");
      if (!service.ready()) return error_response(*request, 503, "a model is still loading; ask again");
      return uncached(R"({"status":"ready"})");
    });
  };
}

Handler make_version_endpoint(const nlu::NluService& service) {
  return [&service](const RequestPtr&, const Respond& respond) {
    respond([&service] { return uncached(version_body(service)); });
  };
}

}  // namespace kefu::serve
