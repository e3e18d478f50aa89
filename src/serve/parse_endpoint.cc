#include "serve/parse_endpoint.h"

#include "hosting/shadow.h"
#include "serve/error_reply.h"
#include "serve/http_call.h"
#include "serve/http_fields.h"
#include "serve/parse_reply.h"
#include "serve/parse_request.h"
#include "serve/visit_headers.h"

namespace kefu::serve {
namespace {

HttpResponse parsed(const HttpRequest& request, const hosting::Selection& chosen,
                    const Result<std::vector<nlu::ParseReply>>& replies) {
  if (!replies.has_value()) return error_response(request, replies.error());
  const auto total = std::chrono::steady_clock::now() - request.received;
  HttpResponse response;
  response.body =
      write_parse_reply(replies->front(), std::chrono::duration_cast<std::chrono::microseconds>(total));
  response.headers.emplace_back("Cache-Control", "no-store");
  if (!chosen.release.empty()) {
    response.headers.emplace_back("Kefu-Release", chosen.release);
    response.headers.emplace_back("Kefu-Label", chosen.label);
  }
  return response;
}

/// What is asked, of whom.
struct Asked {
  hosting::Selection chosen;
  nlu::ParseRequest text;
  runtime::Call call;
};

Result<Asked> read(const Services& services, const HttpRequest& request, const hosting::VisitPtr& visit,
                   std::size_t max_code_points) {
  KEFU_ASSIGN(const std::string name, query_value(request.query, "model"));
  KEFU_ASSIGN(runtime::Call call, call_of(request, visit));
  KEFU_ASSIGN(nlu::ParseRequest text, read_parse_request(request.body, max_code_points));
  const hosting::Selector wanted{.model = name, .label = request.label, .key = request.sticky_key};
  KEFU_ASSIGN(hosting::Selection chosen, visit->select(services.models, wanted, text.text.size()));
  call.is_judged = chosen.by_share;
  return Asked{std::move(chosen), std::move(text), std::move(call)};
}

void parse(const Services& services, std::size_t max_code_points, const RequestPtr& request,
           Respond respond) {
  const auto visit =
      services.entrance.enter(hosting::Entry::kNative, request->received, trace_fields(*request));
  if (!visit) return respond([request, error = visit.error()] { return error_response(*request, error); });
  if (!is_json_media_type(request->content_type)) {
    return respond(refused(*visit, Code::kInvalidArgument, [request] { return not_json(*request); }));
  }
  auto asked = read(services, *request, *visit, max_code_points);
  if (!asked) {
    return respond(refused(*visit, asked.error().code,
                           [request, error = asked.error()] { return error_response(*request, error); }));
  }
  // `respond` takes the reply from a worker's thread back to the connection's; the JSON is written there.
  nlu::ParseDone done = [request, visit = *visit, chosen = asked->chosen,
                         respond = std::move(respond)](Result<std::vector<nlu::ParseReply>> replies) {
    respond([request, visit, chosen, replies = std::move(replies)] {
      HttpResponse response = parsed(*request, chosen, replies);
      visit->end(replies ? std::nullopt : std::optional(replies.error().code));
      add_visit_headers(*visit, response);
      return response;
    });
  };
  std::vector<nlu::ParseRequest> texts{std::move(asked->text)};
  done = hosting::with_shadow(asked->chosen, texts, std::move(done));
  asked->chosen.model->parse(std::move(texts), asked->call, std::move(done));
}

}  // namespace

Handler make_parse_endpoint(const Services& services, std::size_t max_text_code_points) {
  return [services, max_text_code_points](const RequestPtr& request, Respond respond) {
    parse(services, max_text_code_points, request, std::move(respond));
  };
}

}  // namespace kefu::serve
