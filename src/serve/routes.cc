#include "serve/routes.h"

#include "serve/health_endpoint.h"
#include "serve/openapi.h"
#include "serve/page_endpoint.h"
#include "serve/parse_endpoint.h"
#include "serve/v2_endpoints.h"
#include "serve/v2_repository.h"

namespace kefu::serve {
namespace {

void append(std::vector<Route>& routes, std::vector<Route> more) {
  routes.insert(routes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Router make_routes(const HttpSettings& settings, hosting::ModelTable& models,
                   std::function<bool()> draining) {
  std::vector<Route> routes;
  routes.push_back({"GET", "/health/live", make_live_endpoint(), ""});
  routes.push_back({"GET", "/health/ready", make_ready_endpoint(models, draining), ""});
  if (settings.inference) {
    routes.push_back(
        {"POST", "/model/parse", make_parse_endpoint(models, settings.max_text_code_points), ""});
    append(routes, v2_routes(models, std::move(draining)));
    routes.push_back({"GET", "/version", make_version_endpoint(models), ""});
    routes.push_back({"GET", "/", make_page_endpoint(), ""});
  }
  if (settings.admin) append(routes, repository_routes(models));
  if (settings.inference) routes.push_back({"GET", "/openapi.json", make_openapi_endpoint(routes), ""});
  return Router(std::move(routes));
}

}  // namespace kefu::serve
