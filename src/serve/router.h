#pragma once
// Which handler answers a method and a path.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "auth/principal.h"
#include "serve/http_message.h"

namespace kefu::serve {

struct Route {
  std::string method;
  std::string path;  // a segment in braces, "{model}", stands for any one
  Handler handler;
  std::string summary{};               // for /openapi.json; empty: the document describes the route by hand
  std::optional<auth::Scope> scope{};  // that a caller needs; none: open to all
};

/// The outcome of a look-up: a handler, or the methods the path does have (405), or neither (404).
struct RouteMatch {
  const Handler* handler = nullptr;    // owned by the router
  std::optional<auth::Scope> scope{};  // that a caller needs
  std::string_view path;               // the route's, owned by the router; empty if the path is unknown
  std::vector<std::string> values;     // of its segments in braces, percent-decoded
  std::string allow;                   // "GET, HEAD"; empty if the path is unknown
};

/// What lies between the slashes of a path.
using Segments = absl::InlinedVector<std::string_view, 8>;

/// An immutable table of a few dozen rows, searched in order. Safe from any thread.
class Router {
 public:
  explicit Router(std::vector<Route> routes);

  /// HEAD finds the GET handler; the connection then leaves the body out.
  RouteMatch find(std::string_view method, std::string_view path) const;

  // Its segments point into its routes, which move with it but are not copied.
  Router(Router&&) = default;
  Router& operator=(Router&&) = default;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<Segments> segments_;  // of their paths, into routes_
};

}  // namespace kefu::serve
