#include "serve/error_reply.h"

#include <string>

#include "base/json_write.h"
#include "base/version.h"

namespace kefu::serve {
namespace {

struct StatusRow {
  int status;
  std::string_view phrase;
};

/// RFC 9110 §15, RFC 6585; 499 is nginx's.
constexpr StatusRow kPhrases[] = {
    {200, "OK"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

/// The phrase as one word, "BadRequest": Rasa's `reason`.
std::string reason_word(int status) {
  std::string word(reason_phrase(status));
  std::erase(word, ' ');
  return word;
}

/// https://rasa.com/docs/rasa/pages/http-api, schema Error.
std::string rasa_body(const HttpRequest& request, int status, std::string_view code,
                      std::string_view detail) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "version", version());
  write_member(json, "status", "failure");
  write_member(json, "message", detail);
  write_member(json, "reason", reason_word(status));
  json.Key("details");
  json.StartObject();
  if (!code.empty()) write_member(json, "code", code);
  write_member(json, "request_id", request.id);
  json.EndObject();
  json.Key("help");
  json.Null();
  json.Key("code");
  json.Int(status);
  json.EndObject();
  return written.str();
}

std::string problem_body(const HttpRequest& request, int status, std::string_view code,
                         std::string_view detail) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "type", "about:blank");
  write_member(json, "title", reason_phrase(status));
  json.Key("status");
  json.Int(status);
  write_member(json, "detail", detail);
  if (!code.empty()) write_member(json, "code", code);
  write_member(json, "request_id", request.id);
  json.EndObject();
  return written.str();
}

/// The Open Inference Protocol's.
std::string v2_body(std::string_view detail) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "error", detail);
  json.EndObject();
  return written.str();
}

/// https://platform.openai.com/docs/guides/error-codes, as its clients read it.
std::string openai_body(int status, std::string_view code, std::string_view detail) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  json.Key("error");
  json.StartObject();
  write_member(json, "message", detail);
  write_member(json, "type", status < 500 ? "invalid_request_error" : "server_error");
  json.Key("param");
  json.Null();
  json.Key("code");
  if (code.empty()) json.Null();
  if (!code.empty()) write_string(json, code);
  json.EndObject();
  json.EndObject();
  return written.str();
}

HttpResponse make(const HttpRequest& request, int status, std::string_view code, std::string_view detail) {
  HttpResponse response;
  response.status = status;
  if (request.path == "/model/parse") {
    response.body = rasa_body(request, status, code, detail);
  } else if (request.path == "/v2" || request.path.starts_with("/v2/")) {
    response.body = v2_body(detail);
  } else if (request.path.starts_with("/v1/")) {
    response.body = openai_body(status, code, detail);
  } else {
    response.content_type = "application/problem+json";
    response.body = problem_body(request, status, code, detail);
  }
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

std::string_view reason_phrase(int status) {
  for (const StatusRow& row : kPhrases) {
    if (row.status == status) return row.phrase;
  }
  return "Error";
}

HttpResponse error_response(const HttpRequest& request, int status, std::string_view detail) {
  return make(request, status, {}, detail);
}

HttpResponse error_response(const HttpRequest& request, const Error& error) {
  return make(request, http_status(error.code), code_name(error.code), error.message);
}

HttpResponse not_json(const HttpRequest& request) {
  HttpResponse response =
      error_response(request, 415, "the body must be JSON in UTF-8; send Content-Type: application/json");
  response.headers.emplace_back("Accept", "application/json");  // what would be taken (RFC 9110 §15.5.16)
  return response;
}

}  // namespace kefu::serve
