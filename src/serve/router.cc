#include "serve/router.h"

#include <algorithm>

#include "serve/http_fields.h"

namespace kefu::serve {
namespace {

void add_allowed(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
}

Segments split(std::string_view path) {
  Segments segments;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

/// Whether a path is of a route, and the segments in braces, as sent.
bool matches(const Segments& route, const Segments& path, Segments& values) {
  if (route.size() != path.size()) return false;
  values.clear();
  for (std::size_t i = 0; i < route.size(); ++i) {
    if (route[i].starts_with('{')) {
      values.push_back(path[i]);
    } else if (route[i] != path[i]) {
      return false;
    }
  }
  return true;
}

/// False if a value is empty or cannot be decoded: then the path is of no route.
bool decode(const Segments& encoded, std::vector<std::string>& values) {
  values.clear();
  values.reserve(encoded.size());
  for (const std::string_view segment : encoded) {
    auto value = decode_path_segment(segment);
    if (!value || value->empty()) return false;
    values.push_back(*std::move(value));
  }
  return true;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) segments_.push_back(split(route.path));
}

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  RouteMatch match;
  Segments encoded;
  const Segments given = split(path);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (!matches(segments_[i], given, encoded) || !decode(encoded, match.values)) continue;
    match.path = route.path;
    if (route.method == wanted) {
      match.handler = &route.handler;
      match.scope = route.scope;
      return match;
    }
    add_allowed(match.allow, route.method);
    if (route.method == "GET") add_allowed(match.allow, "HEAD");
  }
  return match;
}

}  // namespace kefu::serve
