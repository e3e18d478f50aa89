#pragma once
// The gRPC server: inference.GRPCInferenceService and grpc.health.v1.Health.

#include <cstdint>
#include <memory>
#include <string>

#include "net/tls_settings.h"
#include "serve/services.h"

namespace kefu::serve {

/// Section `grpc` of kefu.yaml.
struct GrpcSettings {
  std::string host = "127.0.0.1";
  int port = 8081;  // 0: any free port
  bool enabled = true;
  bool admin = false;  // whether it takes orders: load, unload
  std::size_t max_message_bytes = 2 * 1024 * 1024;
  std::size_t memory_bytes = 256 * 1024 * 1024;  // of messages under way, before they are admitted
};

/// A running server. Thread-safe.
class GrpcServer {
 public:
  virtual ~GrpcServer() = default;

  virtual std::uint16_t port() const = 0;

  /// What the health checks say may have changed.
  virtual void health_changed() = 0;

  /// Accepts no calls any more (GOAWAY), asks streams to end, and waits for those under way, at most so long;
  /// then they are cancelled. False if some were. A later call changes nothing.
  virtual bool stop(std::chrono::milliseconds limit) = 0;
};

/// The files of `tls` have been checked. kUnavailable: the port is in use, or the address cannot be listened
/// on.
Result<std::unique_ptr<GrpcServer>> start_grpc_server(const GrpcSettings& settings,
                                                      const net::TlsSettings& tls, const Services& services);

}  // namespace kefu::serve
