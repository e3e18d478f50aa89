#include "serve/routes.h"

#include "serve/health_endpoint.h"
#include "serve/openapi.h"
#include "serve/page_endpoint.h"
#include "serve/parse_endpoint.h"
#include "serve/v2_endpoints.h"

namespace kefu::serve {

Router make_routes(const HttpSettings& settings, nlu::NluService& service, std::function<bool()> draining) {
  std::vector<Route> routes;
  routes.push_back({"POST", "/model/parse", make_parse_endpoint(service, settings.max_text_code_points)});
  routes.push_back({"GET", "/health/live", make_live_endpoint()});
  routes.push_back({"GET", "/health/ready", make_ready_endpoint(service, draining)});
  routes.push_back({"GET", "/version", make_version_endpoint(service)});
  routes.push_back({"GET", "/openapi.json", make_openapi_endpoint()});
  routes.push_back({"GET", "/", make_page_endpoint()});
  for (Route& route : v2_routes(settings, service, std::move(draining))) routes.push_back(std::move(route));
  return Router(std::move(routes));
}

}  // namespace kefu::serve
