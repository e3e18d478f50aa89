#pragma once
// grpc.health.v1.Health: the same truth as the HTTP probes.

#include <health.grpc.pb.h>

#include "serve/open_streams.h"
#include "serve/services.h"

namespace kefu::serve {

/// The service "" and those of this server are SERVING while the server is ready; a model's name is SERVING
/// while the model is in service. Thread-safe.
class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  explicit HealthService(Services services) : services_(std::move(services)) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;

  /// Says how it is, and again whenever that changes, until the caller or the server ends it.
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* context, const grpc::health::v1::HealthCheckRequest* request) override;

  /// What a check says may have changed.
  void changed();

  /// Ends the watches, and those to come.
  void leave() { watches_.leave_all(); }

 private:
  class WatchReactor;

  grpc::health::v1::HealthCheckResponse::ServingStatus status_of(const std::string& service) const;

  const Services services_;
  OpenStreams watches_;
};

}  // namespace kefu::serve
