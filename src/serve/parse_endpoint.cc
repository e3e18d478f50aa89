#include "serve/parse_endpoint.h"

#include "serve/error_reply.h"
#include "serve/http_call.h"
#include "serve/http_fields.h"
#include "serve/parse_reply.h"
#include "serve/parse_request.h"

namespace kefu::serve {
namespace {

HttpResponse unsupported(const HttpRequest& request, std::string_view detail, const char* header,
                         const char* value) {
  HttpResponse response = error_response(request, 415, detail);
  response.headers.emplace_back(header, value);  // what would be taken (RFC 9110 §15.5.16)
  return response;
}

HttpResponse parsed(const HttpRequest& request, const Result<std::vector<nlu::ParseReply>>& replies) {
  if (!replies.has_value()) return error_response(request, replies.error());
  const auto total = std::chrono::steady_clock::now() - request.received;
  HttpResponse response;
  response.body =
      write_parse_reply(replies->front(), std::chrono::duration_cast<std::chrono::microseconds>(total));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

void parse(const hosting::ModelTable& models, std::size_t max_code_points, const RequestPtr& request,
           Respond respond) {
  if (!request->content_encoding.empty() && request->content_encoding != "identity") {
    return respond([request] {
      return unsupported(*request, "a compressed body is not read; send it without Content-Encoding",
                         "Accept-Encoding", "identity");
    });
  }
  if (!is_json_media_type(request->content_type)) {
    return respond([request] {
      return unsupported(*request, "the body must be JSON in UTF-8; send Content-Type: application/json",
                         "Accept", "application/json");
    });
  }
  const auto refuse = [&](const Error& error) {
    respond([request, error] { return error_response(*request, error); });
  };
  const Result<std::string> name = query_value(request->query, "model");
  if (!name) return refuse(name.error());
  const Result<runtime::Call> call = call_of(*request);
  if (!call) return refuse(call.error());
  Result<nlu::ParseRequest> body = read_parse_request(request->body, max_code_points);
  if (!body) return refuse(body.error());
  const Result<hosting::ModelRef> model = models.find(*name);
  if (!model) return refuse(model.error());
  // `respond` takes the reply from a worker's thread back to the connection's; the JSON is written there.
  (*model)->parse({*std::move(body)}, *call,
                  [request, respond = std::move(respond)](Result<std::vector<nlu::ParseReply>> replies) {
                    respond([request, replies = std::move(replies)] { return parsed(*request, replies); });
                  });
}

}  // namespace

Handler make_parse_endpoint(const hosting::ModelTable& models, std::size_t max_text_code_points) {
  return [&models, max_text_code_points](const RequestPtr& request, Respond respond) {
    parse(models, max_text_code_points, request, std::move(respond));
  };
}

}  // namespace kefu::serve
