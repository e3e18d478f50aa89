#include "serve/v2_endpoints.h"

#include <charconv>

#include "base/version.h"
#include "oip/infer_json.h"
#include "serve/error_reply.h"
#include "serve/http_fields.h"
#include "serve/json_write.h"
#include "serve/nlu_infer.h"

namespace kefu::serve {
namespace {

/// What of Triton's superset is there; only what is.
constexpr std::string_view kExtensions[] = {"binary_tensor_data", "parameters"};

HttpResponse json_response(const rapidjson::StringBuffer& buffer) {
  HttpResponse response;
  response.body.assign(buffer.GetString(), buffer.GetSize());
  return response;
}

HttpResponse server_metadata() {
  rapidjson::StringBuffer buffer;
  JsonWriter json(buffer);
  json.StartObject();
  write_member(json, "name", "kefu");
  write_member(json, "version", version());
  json.Key("extensions");
  json.StartArray();
  for (const std::string_view extension : kExtensions) write_string(json, extension);
  json.EndArray();
  json.EndObject();
  return json_response(buffer);
}

/// {"live":true}, {"ready":false} or, of a model, {"name":"default","ready":true}; 503 with false.
HttpResponse flag_response(std::string_view key, bool value, std::string_view model = {}) {
  rapidjson::StringBuffer buffer;
  JsonWriter json(buffer);
  json.StartObject();
  if (!model.empty()) write_member(json, "name", model);
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  json.Bool(value);
  json.EndObject();
  HttpResponse response = json_response(buffer);
  response.status = value ? 200 : 503;
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

void write_tensors(JsonWriter& json, std::string_view key, const std::vector<oip::TensorMetadata>& tensors) {
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  json.StartArray();
  for (const oip::TensorMetadata& tensor : tensors) {
    json.StartObject();
    write_member(json, "name", tensor.name);
    write_member(json, "datatype", wire_name(tensor.datatype));
    json.Key("shape");
    json.StartArray();
    for (const std::int64_t dimension : tensor.shape) json.Int64(dimension);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse model_metadata(const oip::ModelMetadata& model) {
  rapidjson::StringBuffer buffer;
  JsonWriter json(buffer);
  json.StartObject();
  write_member(json, "name", model.name);
  json.Key("versions");
  json.StartArray();
  for (const std::string& version : model.versions) write_string(json, version);
  json.EndArray();
  write_member(json, "platform", model.platform);
  write_tensors(json, "inputs", model.inputs);
  write_tensors(json, "outputs", model.outputs);
  json.EndObject();
  return json_response(buffer);
}

/// The model of /v2/models/{model}[/versions/{version}].
Result<nlu::ModelDescription> find_model(const nlu::NluService& service, const HttpRequest& request) {
  KEFU_ASSIGN(auto model, service.describe(request.path_values.at(0)));
  if (request.path_values.size() > 1 && request.path_values[1] != model.name.version) {
    return fail(Code::kNotFound, "Request for unknown model: '{}' version {} is not found; loaded: {}",
                model.name.name, request.path_values[1], model.name.version);
  }
  return model;
}

/// The length of the JSON before the tensors; none: all of it.
Result<std::optional<std::size_t>> json_length(const HttpRequest& request) {
  const std::string& field = request.inference_header_length;
  if (field.empty()) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), length);
  if (error != std::errc() || end != field.data() + field.size()) {
    return fail(Code::kInvalidArgument, "Inference-Header-Content-Length must be a plain decimal number");
  }
  return std::optional(length);
}

/// A body that is the one text and nothing else.
oip::InferRequest raw_request(std::string_view body) {
  oip::InferRequest request;
  request.parameters["binary_data_output"] = true;
  request.inputs.push_back({"text", oip::DataType::kBytes, {1}, {}, {}});
  oip::append_bytes_element(body, request.inputs[0].data);
  return request;
}

Result<oip::InferRequest> read_infer_request(const HttpRequest& http, const std::string& model) {
  KEFU_ASSIGN(const auto length, json_length(http));
  if (length == 0U) return raw_request(http.body);
  KEFU_ASSIGN(auto request, oip::read_infer_json(http.body, length, {}));
  request.model = model;
  return request;
}

HttpResponse infer_response(const HttpRequest& http, const oip::InferRequest& request,
                            const Result<oip::InferReply>& reply) {
  if (!reply) return error_response(http, reply.error());
  auto body = oip::write_infer_json(*reply, request);
  if (!body) return error_response(http, body.error());
  HttpResponse response;
  response.body = std::move(body->bytes);
  if (const std::optional<std::size_t> json_bytes = body->json_bytes) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(*json_bytes));
  }
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

bool is_infer_media_type(std::string_view content_type) {
  return content_type.empty() || is_json_media_type(content_type) ||
         content_type.starts_with("application/octet-stream");
}

void infer(nlu::NluService& service, std::size_t max_code_points, const RequestPtr& http,
           const Respond& respond) {
  if (!http->content_encoding.empty() && http->content_encoding != "identity") {
    return respond([http] {
      HttpResponse response =
          error_response(*http, 415, "a compressed body is not read; send it without Content-Encoding");
      response.headers.emplace_back("Accept-Encoding", "identity");
      return response;
    });
  }
  if (!is_infer_media_type(http->content_type)) {
    return respond([http] {
      return error_response(*http, 415, "send Content-Type: application/json or application/octet-stream");
    });
  }
  const auto model = find_model(service, *http);
  if (!model) return respond([http, error = model.error()] { return error_response(*http, error); });
  auto read = read_infer_request(*http, model->name.name);
  if (!read) return respond([http, error = read.error()] { return error_response(*http, error); });
  const auto request = std::make_shared<const oip::InferRequest>(*std::move(read));
  infer_nlu(
      service, *model, *request, max_code_points, [http, request, respond](Result<oip::InferReply> reply) {
        respond([http, request, reply = std::move(reply)] { return infer_response(*http, *request, reply); });
      });
}

/// Answers with what `make` makes of the model of the path.
template <typename Make>
Handler about_model(const nlu::NluService& service, const Make& make) {
  return [&service, make](const RequestPtr& request, const Respond& respond) {
    respond([&service, make, request] {
      const auto model = find_model(service, *request);
      return model ? make(*model) : error_response(*request, model.error());
    });
  };
}

}  // namespace

std::vector<Route> v2_routes(const HttpSettings& settings, nlu::NluService& service,
                             std::function<bool()> draining) {
  const auto is_ready = [&service, draining = std::move(draining)] { return service.ready() && !draining(); };
  std::vector<Route> routes{
      {"GET", "/v2", [](const RequestPtr&, const Respond& respond) { respond(server_metadata); }},
      {"GET", "/v2/health/live",
       [](const RequestPtr&, const Respond& respond) {
         respond([] { return flag_response("live", true); });
       }},
      {"GET", "/v2/health/ready",
       [is_ready](const RequestPtr&, const Respond& respond) {
         respond([is_ready] { return flag_response("ready", is_ready()); });
       }},
  };
  const Handler metadata = about_model(
      service, [](const nlu::ModelDescription& model) { return model_metadata(nlu_metadata(model)); });
  const Handler ready = about_model(service, [is_ready](const nlu::ModelDescription& model) {
    return flag_response("ready", is_ready(), model.name.name);
  });
  const Handler inference = [&service, most = settings.max_text_code_points](const RequestPtr& request,
                                                                             const Respond& respond) {
    infer(service, most, request, respond);
  };
  for (const std::string model : {"/v2/models/{model}", "/v2/models/{model}/versions/{version}"}) {
    routes.push_back({"GET", model, metadata});
    routes.push_back({"GET", model + "/ready", ready});
    routes.push_back({"POST", model + "/infer", inference});
  }
  return routes;
}

}  // namespace kefu::serve
