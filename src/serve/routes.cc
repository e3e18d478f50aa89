#include "serve/routes.h"

#include "serve/embeddings_endpoint.h"
#include "serve/health_endpoint.h"
#include "serve/metrics_endpoint.h"
#include "serve/openapi.h"
#include "serve/page_endpoint.h"
#include "serve/parse_endpoint.h"
#include "serve/release_endpoints.h"
#include "serve/v2_endpoints.h"
#include "serve/v2_repository.h"

namespace kefu::serve {
namespace {

void append(std::vector<Route>& routes, std::vector<Route> more) {
  routes.insert(routes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What a probe, a browser or a client that introduces itself asks first.
bool is_open(const std::string& path) {
  return path.starts_with("/v2/health/") || path == "/v2";
}

void append(std::vector<Route>& routes, std::vector<Route> more, auth::Scope scope) {
  for (Route& route : more) {
    if (!is_open(route.path)) route.scope = scope;
  }
  append(routes, std::move(more));
}

}  // namespace

Router make_routes(const HttpSettings& settings, const Services& services) {
  std::vector<Route> routes;
  routes.push_back({"GET", "/health/live", make_live_endpoint(), ""});
  routes.push_back({"GET", "/health/ready", make_ready_endpoint(services.models, services.draining), ""});
  if (settings.inference) {
    routes.push_back({"POST", "/model/parse", make_parse_endpoint(services, settings.max_text_code_points),
                      "", auth::Scope::kInfer});
    routes.push_back({"POST", "/v1/embeddings",
                      make_embeddings_endpoint(services, settings.max_text_code_points),
                      "Vectors of texts by a model's encoder, in OpenAI's shape", auth::Scope::kInfer});
    append(routes, v2_routes(services), auth::Scope::kInfer);
    routes.push_back({"GET", "/version", make_version_endpoint(services.models), ""});
    routes.push_back({"GET", "/", make_page_endpoint(), ""});
  }
  if (settings.admin) {
    append(routes, repository_routes(services.models), auth::Scope::kAdmin);
    append(routes, release_routes(services), auth::Scope::kAdmin);
  }
  if (settings.metrics) {
    routes.push_back({"GET", "/metrics", make_metrics_endpoint(services),
                      "Metrics in Prometheus' text format", auth::Scope::kMetrics});
  }
  if (settings.inference || settings.admin)
    routes.push_back({"GET", "/openapi.json", make_openapi_endpoint(routes), ""});
  return Router(std::move(routes));
}

}  // namespace kefu::serve
