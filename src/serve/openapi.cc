#include "serve/openapi.h"

#include <string_view>

#include "base/json.h"
#include "base/version.h"

namespace kefu::serve {
namespace {

// A test holds the paths and methods against the router's table.
constexpr std::string_view kHead = R"json({"openapi":"3.1.0","info":{"title":"Kefu","version":")json";

constexpr std::string_view kPaths =
    R"json(","summary":"Understands what customers write"},
"servers":[{"url":"/"}],
"paths":{
"/model/parse":{"post":{"operationId":"parse","summary":"Intent, entities and language of a text",
  "description":"Compatible with Rasa's endpoint of this name. Offsets are Unicode code points.",
  "parameters":[{"name":"model","in":"query","required":false,"description":"Name of a loaded model; the default one if absent","schema":{"type":"string"}}],
  "requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ParseRequest"}}}},
  "responses":{
    "200":{"description":"What was understood","headers":{"X-Request-Id":{"$ref":"#/components/headers/RequestId"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ParseReply"}}}},
    "400":{"$ref":"#/components/responses/Failure"},"404":{"$ref":"#/components/responses/Failure"},
    "405":{"$ref":"#/components/responses/Failure"},"408":{"$ref":"#/components/responses/Failure"},
    "413":{"$ref":"#/components/responses/Failure"},"415":{"$ref":"#/components/responses/Failure"},
    "429":{"$ref":"#/components/responses/Failure"},"500":{"$ref":"#/components/responses/Failure"},
    "503":{"$ref":"#/components/responses/Failure"},"504":{"$ref":"#/components/responses/Failure"}}}},
"/health/live":{"get":{"operationId":"live","summary":"Is the process alive?",
  "responses":{"200":{"description":"It is","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Status"}}}},"default":{"$ref":"#/components/responses/Problem"}}}},
"/health/ready":{"get":{"operationId":"ready","summary":"Are all models loaded, and is the server not shutting down?",
  "responses":{"200":{"description":"They are","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Status"}}}},"503":{"$ref":"#/components/responses/Problem"},"default":{"$ref":"#/components/responses/Problem"}}}},
"/version":{"get":{"operationId":"version","summary":"The build and its models",
  "responses":{"200":{"description":"Names and versions","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Version"}}}},"default":{"$ref":"#/components/responses/Problem"}}}},
"/openapi.json":{"get":{"operationId":"openapi","summary":"This document",
  "responses":{"200":{"description":"OpenAPI 3.1","content":{"application/json":{"schema":{"type":"object"}}}},"default":{"$ref":"#/components/responses/Problem"}}}},
"/":{"get":{"operationId":"page","summary":"The try-it page, or a line of text if HTML is not accepted",
  "responses":{"200":{"description":"Page or greeting","headers":{"ETag":{"schema":{"type":"string"}}},"content":{"text/html":{"schema":{"type":"string"}},"text/plain":{"schema":{"type":"string"}}}},"304":{"description":"The page has not changed"},"default":{"$ref":"#/components/responses/Problem"}}}})json";

constexpr std::string_view kComponents = R"json(},
"components":{
"headers":{"RequestId":{"description":"The X-Request-Id sent, or a new one","schema":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}}},
"responses":{
  "OpenAiFailure":{"description":"Failure, in OpenAI's shape","content":{"application/json":{"schema":{"type":"object","required":["error"],"properties":{"error":{"type":"object","required":["message","type"]}}}}}},
  "V2Failure":{"description":"Failure, in the Open Inference Protocol's shape","content":{"application/json":{"schema":{"type":"object","required":["error"],"properties":{"error":{"type":"string"}}}}}},
  "Failure":{"description":"Failure, in Rasa's shape","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Failure"}}}},
  "Problem":{"description":"Failure (RFC 9457)","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},
"schemas":{
"ParseRequest":{"type":"object","required":["text"],"properties":{
  "text":{"type":"string","description":"What the customer wrote; may be empty","maxLength":32000},
  "language":{"type":["string","null"],"description":"ISO 639 code; identified if absent","examples":["es"]},
  "message_id":{"description":"Ignored"}}},
"InferRequest":{"type":"object","required":["inputs"],"properties":{"id":{"type":"string"},"parameters":{"type":"object"},
  "inputs":{"type":"array","items":{"type":"object","required":["name","datatype","shape"]}},
  "outputs":{"type":"array","items":{"type":"object","required":["name"]}}}},
"ParseReply":{"type":"object","required":["text","intent","entities","intent_ranking","language","domain","model","out_of_scope","windows","truncated","timings_ms"],"properties":{
  "text":{"type":"string"},
  "intent":{"$ref":"#/components/schemas/Intent"},
  "entities":{"type":"array","items":{"$ref":"#/components/schemas/Entity"}},
  "intent_ranking":{"type":"array","items":{"$ref":"#/components/schemas/Intent"}},
  "language":{"type":"object","required":["code","confidence"],"properties":{"code":{"type":"string"},"confidence":{"$ref":"#/components/schemas/Probability"}}},
  "domain":{"type":"string","description":"Empty if out of scope"},
  "model":{"type":"object","required":["name","version"],"properties":{"name":{"type":"string"},"version":{"type":"string"}}},
  "out_of_scope":{"type":"object","required":["score","decision"],"properties":{"score":{"$ref":"#/components/schemas/Probability"},"decision":{"type":"boolean"}}},
  "windows":{"type":"integer","minimum":0,"description":"Encoder windows that the text was read in"},
  "truncated":{"type":"boolean","description":"True if not all of the text was read"},
  "timings_ms":{"type":"object","required":["tokenize","queue","infer","heads","total"],"properties":{"tokenize":{"type":"number"},"queue":{"type":"number"},"infer":{"type":"number"},"heads":{"type":"number"},"total":{"type":"number"}}}}},
"Intent":{"type":"object","required":["name","confidence"],"properties":{"name":{"type":"string"},"confidence":{"$ref":"#/components/schemas/Probability"}}},
"Entity":{"type":"object","required":["entity","start","end","confidence_entity","value","extractor"],"properties":{
  "entity":{"type":"string"},
  "start":{"type":"integer","minimum":0,"description":"First code point"},
  "end":{"type":"integer","minimum":0,"description":"One past the last code point"},
  "confidence_entity":{"$ref":"#/components/schemas/Probability"},
  "value":{"type":"string"},"extractor":{"type":"string"},"role":{"type":"string"},"group":{"type":"string"}}},
"Probability":{"type":"number","minimum":0,"maximum":1},
"Status":{"type":"object","required":["status"],"properties":{"status":{"type":"string"}}},
"Version":{"type":"object","required":["name","version","models"],"properties":{"name":{"type":"string"},"version":{"type":"string"},"models":{"type":"array","items":{"type":"object","required":["name","version"],"properties":{"name":{"type":"string"},"version":{"type":"string"}}}}}},
"Failure":{"type":"object","required":["version","status","message","reason","code"],"properties":{
  "version":{"type":"string"},"status":{"const":"failure"},"message":{"type":"string"},"reason":{"type":"string"},
  "details":{"type":"object"},"help":{"type":["string","null"]},"code":{"type":"integer"}}},
"Problem":{"type":"object","required":["type","title","status"],"properties":{
  "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},
  "code":{"type":"string"},"request_id":{"type":"string"}}}
}}}
)json";

/// The paths of routes that have a summary, as members of "paths".
std::string describe(const std::vector<Route>& routes) {
  Json paths = Json::object();
  for (const Route& route : routes) {
    if (route.summary.empty()) continue;
    const bool is_get = route.method == "GET";
    Json& operation = paths[route.path][is_get ? "get" : "post"];
    operation["summary"] = route.summary;
    for (std::size_t at = route.path.find('{'); at != std::string::npos; at = route.path.find('{', at + 1)) {
      const std::string name = route.path.substr(at + 1, route.path.find('}', at) - at - 1);
      operation["parameters"].push_back(
          {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    }
    const Json object{{"schema", {{"type", "object"}}}};
    const bool is_infer = route.path.ends_with("/infer");
    if (is_infer) {
      operation["requestBody"] = {
          {"required", true},
          {"content",
           {{"application/json", {{"schema", {{"$ref", "#/components/schemas/InferRequest"}}}}},
            {"application/octet-stream", Json::object()}}}};
    } else if (!is_get) {
      operation["requestBody"] = {{"content", {{"application/json", object}}}};
    }
    const std::string_view failure = route.path.starts_with("/v2")   ? "V2Failure"
                                     : route.path.starts_with("/v1") ? "OpenAiFailure"
                                                                     : "Problem";
    operation["responses"] = {
        {"200", {{"description", "The answer"}, {"content", {{"application/json", object}}}}},
        {"default", {{"$ref", fmt::format("#/components/responses/{}", failure)}}}};
  }
  const std::string text = paths.dump();
  return text.size() > 2 ? ",\n" + text.substr(1, text.size() - 2) : "";
}

}  // namespace

std::string openapi_document(const std::vector<Route>& routes) {
  std::string document;
  document.append(kHead).append(version()).append(kPaths).append(describe(routes)).append(kComponents);
  return document;
}

Handler make_openapi_endpoint(const std::vector<Route>& routes) {
  return [document = openapi_document(routes)](const RequestPtr&, const Respond& respond) {
    respond([&document] {
      HttpResponse response;
      response.body = document;
      return response;
    });
  };
}

}  // namespace kefu::serve
