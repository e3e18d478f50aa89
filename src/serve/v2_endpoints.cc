#include "serve/v2_endpoints.h"

#include "base/version.h"
#include "hosting/model_config.h"
#include "oip/server_metadata.h"
#include "serve/error_reply.h"
#include "serve/v2_infer_endpoint.h"
#include "serve/v2_model_json.h"
#include "serve/v2_reply.h"

namespace kefu::serve {
namespace {

HttpResponse server_metadata(const std::string& name) {
  return json_response({{"name", name}, {"version", version()}, {"extensions", oip::kExtensions}});
}

HttpResponse statistics(const std::vector<hosting::ModelRef>& models) {
  Json list = Json::array();
  for (const hosting::ModelRef& model : models) list.push_back(model_statistics_json(*model));
  return json_response({{"model_stats", std::move(list)}});
}

HttpResponse log_settings() {
  return json_response({{"log_file", ""},
                        {"log_info", true},
                        {"log_warning", true},
                        {"log_error", true},
                        {"log_verbose_level", 0},
                        {"log_format", "default"}});
}

HttpResponse trace_settings() {
  return json_response({{"trace_level", {"OFF"}},
                        {"trace_rate", "1000"},
                        {"trace_count", "-1"},
                        {"log_frequency", "0"},
                        {"trace_file", ""},
                        {"trace_mode", "triton"}});
}

/// Changing nothing is allowed: clients read settings by it.
HttpResponse change_settings(const HttpRequest& request, HttpResponse (*settings)()) {
  const Json body = request.body.empty() ? Json::object() : Json::parse(request.body, nullptr, false);
  if (body.is_object() && body.empty()) return settings();
  return error_response(request, 501,
                        "these settings cannot be changed by a client; see kefu.yaml, section log");
}

/// GET and POST of settings.
void add_settings(std::vector<Route>& routes, const std::string& path, HttpResponse (*settings)(),
                  const std::string& summary) {
  routes.push_back({"GET", path, answering([settings](const HttpRequest&) { return settings(); }), summary});
  routes.push_back({"POST", path, answering([settings](const HttpRequest& request) {
                      return change_settings(request, settings);
                    }),
                    "Not offered: settings are read-only"});
}

HttpResponse no_shared_memory(const HttpRequest& request) {
  return error_response(request, 501, "shared memory is not offered; send tensors with the request");
}

void add_shared_memory(std::vector<Route>& routes) {
  for (const char* kind : {"systemsharedmemory", "cudasharedmemory"}) {
    const std::string base = std::string("/v2/") + kind;
    routes.push_back({"GET", base + "/status", answering(no_shared_memory), "Not offered"});
    routes.push_back({"GET", base + "/region/{region}/status", answering(no_shared_memory), "Not offered"});
    routes.push_back(
        {"POST", base + "/region/{region}/register", answering(no_shared_memory), "Not offered"});
    routes.push_back(
        {"POST", base + "/region/{region}/unregister", answering(no_shared_memory), "Not offered"});
    routes.push_back({"POST", base + "/unregister", answering(no_shared_memory), "Not offered"});
  }
}

/// The routes of a model, or of a version of it.
void add_model(std::vector<Route>& routes, const std::string& path, const Services& services) {
  const hosting::ModelTable& models = services.models;
  routes.push_back({"GET", path,
                    about_model(models,
                                [](const hosting::ServedModel& model) {
                                  return json_response(model_metadata_json(model.description().metadata));
                                }),
                    "Name, version, inputs and outputs"});
  routes.push_back({"GET", path + "/ready",
                    about_model(models,
                                [](const hosting::ServedModel& model) {
                                  return flag_response("ready", true, model.description().name());
                                }),
                    "Does it answer?"});
  routes.push_back({"GET", path + "/config",
                    about_model(models,
                                [](const hosting::ServedModel& model) {
                                  return json_response(hosting::model_config(model.description()));
                                }),
                    "Effective configuration"});
  routes.push_back({"GET", path + "/stats", answering([&models](const HttpRequest& request) {
                      const auto model = find_model(models, request);
                      return model ? statistics({*model}) : error_response(request, model.error());
                    }),
                    "What it has done"});
  routes.push_back({"POST", path + "/infer", make_infer_endpoint(services), "Tensors in, tensors out"});
}

}  // namespace

std::vector<Route> v2_routes(const Services& services) {
  const hosting::ModelTable& models = services.models;
  std::vector<Route> routes{
      {"GET", "/v2", answering([name = services.name](const HttpRequest&) { return server_metadata(name); }),
       "Name, version and extensions"},
      {"GET", "/v2/health/live", answering([](const HttpRequest&) { return flag_response("live", true); }),
       "Is the process alive?"},
      {"GET", "/v2/health/ready", answering([&models, draining = services.draining](const HttpRequest&) {
         return flag_response("ready", models.ready() && !draining());
       }),
       "Are the required models in service, and is the server not shutting down?"},
      {"GET", "/v2/models/stats",
       answering([&models](const HttpRequest&) { return statistics(models.served()); }),
       "What all models have done"},
  };
  add_model(routes, "/v2/models/{model}", services);
  add_model(routes, "/v2/models/{model}/versions/{version}", services);
  add_settings(routes, "/v2/logging", log_settings, "Log settings");
  add_settings(routes, "/v2/trace/setting", trace_settings, "Trace settings");
  add_settings(routes, "/v2/models/{model}/trace/setting", trace_settings, "Trace settings of a model");
  add_shared_memory(routes);
  return routes;
}

}  // namespace kefu::serve
