#pragma once
// All that listens: HTTP, gRPC, the admin port; and how it ends.

#include <memory>

#include "net/tls_settings.h"
#include "serve/grpc_server.h"
#include "serve/http_settings.h"

namespace kefu::serve {

struct ServerSettings {
  std::string name = "kefu";  // in the metadata of the Open Inference Protocol
  HttpSettings http{};
  GrpcSettings grpc{};
  net::TlsSettings tls{};  // of every port
  int admin_port = 0;      // 0: none
  bool metrics_enabled = true;
  int metrics_port = 8082;        // 0: any free port
  int shutdown_delay_ms = 5'000;  // after SIGTERM everything still answers so long, but readiness says no
};

/// Running from start to its destructor at the latest.
class Server {
 public:
  ~Server();

  std::uint16_t http_port() const;
  std::uint16_t grpc_port() const;     // 0: none
  std::uint16_t metrics_port() const;  // 0: none

  /// From here on SIGTERM and SIGINT wait for run_until_signal() instead of ending the process. To be called
  /// before anybody is told that the server is ready.
  void catch_signals();

  /// Blocks until SIGTERM or SIGINT (or stop() on another thread), then ends: readiness turns false, and
  /// after the delay (none for SIGINT) listeners close and what is in flight is answered for up to
  /// http.drain_ms; the port of metrics closes last. Each further signal jumps to the next stage, but gRPC
  /// calls keep the time that they were given. To be called by one thread, once. kUnavailable: requests were
  /// cut short.
  Result<void> run_until_signal();

  /// Ends without a delay. Thread-safe, idempotent.
  void stop();

 private:
  struct Impl;
  friend Result<std::unique_ptr<Server>> start_server(const ServerSettings& settings,
                                                      hosting::ModelTable& models,
                                                      hosting::Entrance& entrance,
                                                      release::Releases& releases, auth::Gate& gate);

  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// What is given by reference must outlive the server. Errors are those of start_http_server() and
/// start_grpc_server(); kInvalidArgument: a file of TLS is missing or no good.
Result<std::unique_ptr<Server>> start_server(const ServerSettings& settings, hosting::ModelTable& models,
                                             hosting::Entrance& entrance, release::Releases& releases,
                                             auth::Gate& gate);

}  // namespace kefu::serve
