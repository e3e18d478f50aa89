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

/// Whether a path is of a route, and the segments in braces, as sent.
bool matches(std::string_view route, std::string_view path, std::vector<std::string_view>& values) {
  values.clear();
  for (bool last = false, path_last = false;;) {
    const std::string_view wanted = next_segment(route, last);
    const std::string_view given = next_segment(path, path_last);
    if (last != path_last) return false;
    if (wanted.starts_with('{')) {
      values.push_back(given);
    } else if (wanted != given) {
      return false;
    }
    if (last) return true;
  }
}

/// False if a value is empty or cannot be decoded: then the path is of no route.
bool decode(const std::vector<std::string_view>& encoded, std::vector<std::string>& values) {
  values.clear();
  for (const std::string_view segment : encoded) {
    auto value = decode_path_segment(segment);
    if (!value || value->empty()) return false;
    values.push_back(*std::move(value));
  }
  return true;
}

}  // namespace

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  RouteMatch match;
  std::vector<std::string_view> encoded;
  for (const Route& route : routes_) {
    if (!matches(route.path, path, encoded) || !decode(encoded, match.values)) continue;
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
