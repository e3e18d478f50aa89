#include "serve/router.h"

namespace kefu::serve {
namespace {

void add_allowed(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
}

}  // namespace

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  RouteMatch match;
  for (const Route& route : routes_) {
    if (route.path != path) continue;
    if (route.method == wanted) {
      match.handler = &route.handler;
      return match;
    }
    add_allowed(match.allow, route.method);
    if (route.method == "GET") add_allowed(match.allow, "HEAD");
  }
  return match;
}

}  // namespace kefu::serve
