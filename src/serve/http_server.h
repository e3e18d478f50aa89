#pragma once
// The HTTP server: listening sockets, I/O threads, shutdown.

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "serve/http_settings.h"
#include "serve/services.h"

namespace kefu::net {
class ServerCertificates;
}

namespace kefu::serve {

/// The certificates of TLS, shared by servers; null: they speak plain HTTP.
using CertificatesPtr = std::shared_ptr<net::ServerCertificates>;

/// A running server. Drained and joined by its destructor at the latest. Thread-safe; none of the calls but
/// from handlers and answers of models.
class HttpServer {
 public:
  ~HttpServer();

  /// The port in use, also where the settings said 0.
  std::uint16_t port() const;

  /// From now on no connection is accepted; requests in flight are answered for up to drain_ms and the rest
  /// with 503. Returns at once.
  void drain();

  /// Cuts short what is in flight. Returns at once.
  void abandon();

  /// Waits for all threads; drain() has been called.
  void join();

  /// Requests that were cut short.
  std::size_t cut() const;

 private:
  struct Impl;
  friend Result<std::unique_ptr<HttpServer>> start_http_server(const HttpSettings& settings,
                                                               const Services& services,
                                                               const CertificatesPtr& certificates);

  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Listens and serves on threads of its own. kInvalidArgument: a setting out of range; kNotFound: unknown
/// host; kAlreadyExists: port in use; kPermissionDenied, kUnavailable: the system refuses. The message names
/// host and port.
Result<std::unique_ptr<HttpServer>> start_http_server(const HttpSettings& settings, const Services& services,
                                                      const CertificatesPtr& certificates = nullptr);

}  // namespace kefu::serve
