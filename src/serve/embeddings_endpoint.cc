#include "serve/embeddings_endpoint.h"

#include "serve/embeddings_reply.h"
#include "serve/embeddings_request.h"
#include "serve/error_reply.h"
#include "serve/http_call.h"
#include "serve/http_fields.h"
#include "serve/visit_headers.h"

namespace kefu::serve {
namespace {

/// What is asked, of whom.
struct AskedEmbeddings {
  hosting::Selection chosen;
  EmbeddingsRequest request;
  runtime::Call call;
};

Result<AskedEmbeddings> read_asked(const Services& services, const HttpRequest& http,
                                   const hosting::VisitPtr& visit, std::size_t max_code_points) {
  AskedEmbeddings asked;
  KEFU_ASSIGN(asked.call, call_of(http, visit));
  KEFU_ASSIGN(asked.request, read_embeddings_request(http.body, max_code_points));
  const hosting::Selector wanted{.model = asked.request.model, .label = http.label, .key = http.sticky_key};
  KEFU_ASSIGN(asked.chosen, visit->select(services.models, wanted, http.body.size()));
  asked.call.is_judged = asked.chosen.by_share;
  return asked;
}

HttpResponse embedded(const HttpRequest& request, const Result<nlu::Embeddings>& embeddings,
                      const std::string& model, bool as_base64) {
  if (!embeddings) return error_response(request, embeddings.error());
  HttpResponse response;
  response.body = write_embeddings_reply(*embeddings, model, as_base64);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

void embed(const Services& services, std::size_t max_code_points, const RequestPtr& http,
           const Respond& respond) {
  const auto visit = services.entrance.enter(hosting::Entry::kOpenAi, http->received, trace_fields(*http));
  if (!visit) return respond([http, error = visit.error()] { return error_response(*http, error); });
  if (!is_json_media_type(http->content_type)) {
    return respond(refused(*visit, Code::kInvalidArgument, [http] { return not_json(*http); }));
  }
  auto asked = read_asked(services, *http, *visit, max_code_points);
  if (!asked) {
    return respond(refused(*visit, asked.error().code,
                           [http, error = asked.error()] { return error_response(*http, error); }));
  }
  const hosting::ModelRef model = asked->chosen.model;
  model->embed(std::move(asked->request.texts), asked->call,
               [http, visit = *visit, respond, name = model->description().name(),
                as_base64 = asked->request.as_base64](Result<nlu::Embeddings> embeddings) {
                 respond([http, visit, name, as_base64, embeddings = std::move(embeddings)] {
                   HttpResponse response = embedded(*http, embeddings, name, as_base64);
                   visit->end(embeddings ? std::nullopt : std::optional(embeddings.error().code));
                   add_visit_headers(*visit, response);
                   return response;
                 });
               });
}

}  // namespace

Handler make_embeddings_endpoint(const Services& services, std::size_t max_text_code_points) {
  return [services, max_text_code_points](const RequestPtr& request, const Respond& respond) {
    embed(services, max_text_code_points, request, respond);
  };
}

}  // namespace kefu::serve
