#include "serve/v2_reply.h"

#include "serve/error_reply.h"

namespace kefu::serve {

HttpResponse json_response(const Json& body, int status) {
  HttpResponse response;
  response.status = status;
  response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

HttpResponse flag_response(const std::string& key, bool value, const std::string& model) {
  Json body{{key, value}};
  if (!model.empty()) body["name"] = model;
  return json_response(body, value ? 200 : 503);
}

Result<hosting::ModelRef> find_model(const hosting::ModelTable& models, const HttpRequest& request) {
  return models.find(request.path_values.at(0), request.path_values.size() > 1 ? request.path_values[1] : "");
}

Handler answering(std::function<HttpResponse(const HttpRequest&)> make) {
  return [make = std::move(make)](const RequestPtr& request, const Respond& respond) {
    respond([&make, request] { return make(*request); });
  };
}

Handler about_model(const hosting::ModelTable& models,
                    std::function<HttpResponse(const hosting::ServedModel&)> make) {
  return answering([&models, make = std::move(make)](const HttpRequest& request) {
    const auto model = find_model(models, request);
    return model ? make(**model) : error_response(request, model.error());
  });
}

}  // namespace kefu::serve
