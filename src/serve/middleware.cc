#include "serve/middleware.h"

#include <exception>

#include "base/compression.h"
#include "base/log.h"
#include "serve/error_reply.h"
#include "serve/http_fields.h"

namespace kefu::serve {
namespace {

constexpr std::size_t kMaxTargetBytes = 2048;

void ensure_id(HttpRequest& request) {
  if (!is_sane_request_id(request.id)) request.id = new_request_id();
}

/// Of a response that is in a trace, as a member of its line; else empty.
std::string trace_member(const HttpResponse& response) {
  constexpr std::size_t kBegin = 3;
  constexpr std::size_t kDigits = 32;
  for (const auto& [name, value] : response.headers) {
    if (name == "traceparent") return fmt::format(R"(,"trace":"{}")", value.substr(kBegin, kDigits));
  }
  return {};
}

/// One line a request, as JSON members (base/log.cc wraps them). Neither query nor body; of the path only the
/// route, since clients can write anything there.
void log_access(const HttpRequest& request, const HttpResponse& response) {
  if (!spdlog::should_log(spdlog::level::info)) return;
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - request.received;
  spdlog::info(R"("event":"request","id":"{}","method":"{}","path":"{}","status":{},"bytes_in":{},)"
               R"("bytes_out":{},"ms":{:.3f}{})",
               request.id, response.status == 405 || request.route.empty() ? "other" : request.method,
               request.route.empty() ? "other" : request.route, response.status, request.body.size(),
               response.body.size(), taken.count(),
               response.status < 400 ? std::string() : trace_member(response));
}

/// The caller learns that it is our fault; the log learns what it was.
HttpResponse caught(const HttpRequest& request, std::string_view what) {
  spdlog::error(R"("event":"exception","id":"{}","what":"{}")", request.id, what);
  return error_response(request, 500,
                        "the server failed to answer; this is a bug, please report it with the request id");
}

HttpResponse run_caught(const HttpRequest& request, const Reply& reply) {
  try {
    return reply();
  } catch (const std::exception& exception) {
    return caught(request, typeid(exception).name());  // not what(): it may quote the input
  } catch (...) {
    return caught(request, "not a std::exception");
  }
}

/// The limits that need no body; the sizes of header and body are the connection's.
bool within_limits(const HttpRequest& request, const Respond& respond) {
  if (request.path.size() + request.query.size() <= kMaxTargetBytes) return true;
  respond([&request] {
    return error_response(request, 414,
                          fmt::format("the request target is longer than {} bytes", kMaxTargetBytes));
  });
  return false;
}

/// A reply is packed if the client can read that and it is worth the while.
void pack_reply(const HttpRequest& request, HttpResponse& response) {
  constexpr std::size_t kLeastBytes = 4096;
  if (response.body.size() < kLeastBytes) return;
  const auto packing = accepted_packing(request.accept_encoding);
  if (!packing) return;
  response.body = pack(response.body, *packing);
  response.headers.emplace_back("Content-Encoding", *packing == Packing::kGzip ? "gzip" : "deflate");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

void route(const RouteMatch& match, const RequestPtr& request, const Respond& respond) {
  if (match.handler != nullptr) return (*match.handler)(request, respond);
  respond([request, allow = match.allow] {
    if (allow.empty()) return error_response(*request, 404, "no such path; /openapi.json lists all of them");
    HttpResponse response = error_response(*request, 405, fmt::format("this path answers {} only", allow));
    response.headers.emplace_back("Allow", allow);
    return response;
  });
}

}  // namespace

// The order, outermost first:
//   1. request id    before all else, so that every line of the log and every error carries it
//   2. access log    sees the outcome of everything below, refused requests included
//   3. catch-all     an exception below becomes a 500 that is logged and labelled
//   4. limits        before any work
//   5. credentials   who calls, and whether they may
//   6. packing       a packed body is unpacked within the limits, a large reply packed
//   7. routing       404, 405, or the endpoint
// 1 to 3 are around the reply (finish).
void Middleware::handle(const std::shared_ptr<HttpRequest>& request, const Respond& respond) const {
  ensure_id(*request);
  RouteMatch match = router_.find(request->method, request->path);
  request->route = match.path;
  request->path_values = std::move(match.values);
  try {
    const bool is_good = within_limits(*request, respond) &&
                         (!match.scope || admit(*request, *match.scope, respond)) &&
                         unpack_body(*request, respond);
    if (is_good) route(match, request, respond);
  } catch (const std::exception& exception) {
    respond([request, what = typeid(exception).name()] { return caught(*request, what); });
  } catch (...) {
    respond([request] { return caught(*request, "not a std::exception"); });
  }
}

/// False if it has been refused.
bool Middleware::admit(HttpRequest& request, auth::Scope needed, const Respond& respond) const {
  const auto caller = [&]() -> Result<auth::Principal> {
    if (needed == auth::Scope::kAdmin && request.is_cross_origin)
      return fail(Code::kPermissionDenied, "pages of other origins give no orders here");
    KEFU_ASSIGN(const std::string token, query_value(request.query, "token"));
    return gate_.admit(request.authorization, token, needed);
  }();
  request.authorization.clear();
  if (caller) {
    request.tenant = caller->tenant;
    return true;
  }
  entrance_.count(hosting::Rejection::kAuth);
  respond([&request, error = caller.error()] {
    HttpResponse response = error_response(request, error);
    if (error.code == Code::kUnauthenticated) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  });
  return false;
}

/// False if it has been refused. What the body unpacks to needs room as the body did.
bool Middleware::unpack_body(HttpRequest& request, const Respond& respond) const {
  if (request.content_encoding.empty() || request.content_encoding == "identity") return true;
  const auto refuse = [&](int status, std::string detail) {
    respond([&request, status, detail = std::move(detail)] {
      HttpResponse response = error_response(request, status, detail);
      if (status == 415) response.headers.emplace_back("Accept-Encoding", "gzip, deflate");
      return response;
    });
    return false;
  };
  if (request.content_encoding != "gzip" && request.content_encoding != "deflate")
    return refuse(415, "the body's coding is not known; send it as gzip, deflate or identity");
  auto room = entrance_.admit_body(max_body_bytes_);
  if (!room) return refuse(http_status(room.error().code), room.error().message);
  auto body = unpack(request.body, max_body_bytes_);
  if (!body && body.error().code == Code::kOutOfRange) {
    entrance_.count(hosting::Rejection::kTooLarge);
    return refuse(
        413, fmt::format("the body unpacks to more than {} bytes (http.max_body_bytes)", max_body_bytes_));
  }
  if (!body) return refuse(400, "the body: " + body.error().message);
  room = runtime::Permit();
  room = entrance_.admit_body(body->size());
  if (!room) return refuse(http_status(room.error().code), room.error().message);
  request.body = *std::move(body);
  request.room = *std::move(room);
  request.content_encoding.clear();
  return true;
}

HttpResponse Middleware::refuse(HttpRequest& request, int status, std::string_view detail) const {
  ensure_id(request);
  request.route = router_.find(request.method, request.path).path;
  return finish(request, [&] { return error_response(request, status, detail); });
}

HttpResponse Middleware::finish(const HttpRequest& request, const Reply& reply) const {
  HttpResponse response = run_caught(request, reply);
  pack_reply(request, response);
  response.headers.emplace_back("X-Request-Id", request.id);
  log_access(request, response);
  return response;
}

}  // namespace kefu::serve
