#include "serve/router.h"

#include "serve/http_fields.h"

namespace kefu::serve {
namespace {

void add_allowed(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
}

/// Takes the segment before the next '/', and the '/', off the front of a path; none: it was the last.
std::string_view next_segment(std::string_view& path, bool& last) {
  const std::size_t slash = path.find('/');
  last = slash == std::string_view::npos;
  const std::string_view segment = path.substr(0, slash);
  path.remove_prefix(last ? path.size() : slash + 1);
  return segment;
}

/// Whether a path is of a route, and the values of the segments in braces.
bool matches(std::string_view route, std::string_view path, std::vector<std::string>& values) {
  values.clear();
  for (bool last = false, path_last = false;;) {
    const std::string_view wanted = next_segment(route, last);
    const std::string_view given = next_segment(path, path_last);
    if (last != path_last) return false;
    if (wanted.starts_with('{')) {
      auto value = decode_path_segment(given);
      if (!value || value->empty()) return false;
      values.push_back(*std::move(value));
    } else if (wanted != given) {
      return false;
    }
    if (last) return true;
  }
}

}  // namespace

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  RouteMatch match;
  for (const Route& route : routes_) {
    if (!matches(route.path, path, match.values)) continue;
    match.path = route.path;
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
