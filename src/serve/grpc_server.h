#pragma once
// The gRPC server: inference.GRPCInferenceService and grpc.health.v1.Health.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "hosting/model_table.h"

namespace kefu::serve {

/// Section `grpc` of kefu.yaml.
struct GrpcSettings {
  std::string host = "127.0.0.1";
  int port = 8081;  // 0: any free port
  bool enabled = true;
  bool admin = false;  // whether it takes orders: load, unload
  std::size_t max_message_bytes = 2 * 1024 * 1024;
};

/// A running server. Thread-safe.
class GrpcServer {
 public:
  virtual ~GrpcServer() = default;

  virtual std::uint16_t port() const = 0;

  /// Accepts no calls any more (GOAWAY) and waits for those under way, at most so long; then they are
  /// cancelled.
  virtual void stop(std::chrono::milliseconds limit) = 0;
};

/// `models` must outlive the server; `draining` is asked on gRPC's threads. kAlreadyExists: port in use;
/// kUnavailable: the address cannot be listened on.
Result<std::unique_ptr<GrpcServer>> start_grpc_server(const GrpcSettings& settings,
                                                      hosting::ModelTable& models,
                                                      const std::function<bool()>& draining);

}  // namespace kefu::serve
