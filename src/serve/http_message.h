#pragma once
// A request and its reply as the endpoints see them: no sockets, no HTTP library.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/budget.h"
#include "runtime/cancellation.h"

namespace kefu::serve {

/// A request whose body is complete. Header fields that are absent are empty.
struct HttpRequest {
  std::string method;  // "POST"
  std::string path;    // the target up to '?', as sent
  std::string query;   // the target after '?', as sent
  std::string id;      // X-Request-Id; after the middleware: always a sane one
  std::string content_type;
  std::string content_encoding;
  std::string accept;
  std::string accept_encoding;
  std::string if_none_match;
  std::string inference_header_length;  // Inference-Header-Content-Length
  std::string timeout_ms;               // Kefu-Timeout-Ms
  std::string label;                    // Kefu-Label
  std::string sticky_key;               // Kefu-Sticky-Key
  std::string traceparent;              // W3C Trace Context; of several, all with commas between
  std::string tracestate;               // as it
  bool is_cross_origin = false;         // a page of another origin sent it
  std::string authorization;            // after the middleware: empty
  std::string tenant;                   // of whom it is, as the credential says
  std::string body;
  std::string_view route;                // the route's path, "/v2/models/{model}"; empty: unknown
  std::vector<std::string> path_values;  // of its segments in braces
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();
  std::shared_ptr<runtime::Cancellation> cancellation;  // cancelled if the client goes; none: nobody watches
  runtime::Permit room;                                 // for the body
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string_view, std::string>>
      headers{};  // beyond type and length; names are literals
};

using RequestPtr = std::shared_ptr<const HttpRequest>;

/// Makes the response. Run at most once, on the I/O thread of the connection, which holds the request.
using Reply = std::function<HttpResponse()>;

/// Who waits for the answer to a request.
class Responder {
 public:
  virtual ~Responder() = default;

  /// Never blocks. Thread-safe.
  virtual void answer(Reply reply) = 0;
};

/// Answers a request; to be called exactly once, from any thread; later calls are ignored. Never blocks.
class Respond {
 public:
  explicit Respond(std::shared_ptr<Responder> to) : to_(std::move(to)) {}

  void operator()(Reply reply) const { to_->answer(std::move(reply)); }

 private:
  std::shared_ptr<Responder> to_;
};

/// An endpoint. Runs on an I/O thread, so must not block.
using Handler = std::function<void(const RequestPtr&, Respond)>;

}  // namespace kefu::serve
