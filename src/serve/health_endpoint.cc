#include "serve/health_endpoint.h"

#include "base/json_write.h"
#include "base/version.h"
#include "serve/error_reply.h"

namespace kefu::serve {
namespace {

HttpResponse uncached(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

std::string version_body(const hosting::ModelTable& models) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "name", "kefu");
  write_member(json, "version", version());
  json.Key("models");
  json.StartArray();
  for (const hosting::ModelRef& model : models.served()) {
    json.StartObject();
    write_member(json, "name", model->description().name());
    write_member(json, "version", model->description().version());
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return written.str();
}

}  // namespace

Handler make_live_endpoint() {
  return [](const RequestPtr&, const Respond& respond) {
    respond([] { return uncached(R"({"status":"live"})"); });
  };
}

Handler make_ready_endpoint(const hosting::ModelTable& models, std::function<bool()> draining) {
  return [&models, draining = std::move(draining)](const RequestPtr& request, const Respond& respond) {
    respond([&models, &draining, request] {
      if (draining()) return error_response(*request, 503, "the server is shutting down");
      if (!models.ready()) return error_response(*request, 503, "a model is still loading; ask again");
      return uncached(R"({"status":"ready"})");
    });
  };
}

Handler make_version_endpoint(const hosting::ModelTable& models) {
  return [&models](const RequestPtr&, const Respond& respond) {
    respond([&models] { return uncached(version_body(models)); });
  };
}

}  // namespace kefu::serve
