#pragma once
// What happens around every endpoint.

#include <string_view>

#include "auth/gate.h"
#include "hosting/entrance.h"
#include "serve/http_message.h"
#include "serve/router.h"

namespace kefu::serve {

/// Immutable after construction, safe from any thread; must outlive every request given to it.
class Middleware {
 public:
  /// `max_body_bytes`: of a packed body, unpacked; `entrance` and `gate` must outlive it.
  Middleware(Router router, std::size_t max_body_bytes, hosting::Entrance& entrance, auth::Gate& gate)
      : router_(std::move(router)), max_body_bytes_(max_body_bytes), entrance_(entrance), gate_(gate) {}

  /// Answers a complete request. Runs on the connection's I/O thread; `respond` is called exactly once as
  /// long as the endpoint does.
  void handle(const std::shared_ptr<HttpRequest>& request, const Respond& respond) const;

  /// What the reply makes of it: to be called on that same thread, once `respond` has been.
  HttpResponse finish(const HttpRequest& request, const Reply& reply) const;

  /// The answer to a request that could not be read to its end: logged and labelled like any other.
  HttpResponse refuse(HttpRequest& request, int status, std::string_view detail) const;

  const Router& router() const { return router_; }

 private:
  bool admit(HttpRequest& request, auth::Scope needed, const Respond& respond) const;
  bool unpack_body(HttpRequest& request, const Respond& respond) const;

  Router router_;
  std::size_t max_body_bytes_;
  hosting::Entrance& entrance_;
  auth::Gate& gate_;
};

}  // namespace kefu::serve
