#pragma once
// The HTTP server: listening sockets, I/O threads, shutdown.

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "hosting/model_table.h"
#include "serve/http_settings.h"

namespace kefu::serve {

/// A running server. Stopped by its destructor at the latest.
class HttpServer {
 public:
  ~HttpServer();

  /// The port in use, also where the settings said 0.
  std::uint16_t port() const;

  /// Blocks until SIGTERM or SIGINT, then stops; a second signal cuts short what is in flight. Returns
  /// early if another thread calls stop(). To be called by one thread, once.
  void run_until_signal();

  /// Readiness turns false, no connection is accepted, requests in flight are answered for up to drain_ms and
  /// the rest with 503; returns when all threads have ended. Thread-safe, idempotent; not to be called from a
  /// handler or a parse callback.
  void stop();

 private:
  struct Impl;
  friend Result<std::unique_ptr<HttpServer>> start_http_server(const HttpSettings& settings,
                                                               hosting::ModelTable& models);

  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Listens and serves on threads of its own. `models` must outlive the server.
/// kInvalidArgument: a setting out of range; kNotFound: unknown host; kAlreadyExists: port in use;
/// kPermissionDenied, kUnavailable: the system refuses. The message names host and port.
Result<std::unique_ptr<HttpServer>> start_http_server(const HttpSettings& settings,
                                                      hosting::ModelTable& models);

}  // namespace kefu::serve
