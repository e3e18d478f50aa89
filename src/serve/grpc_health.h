#pragma once
// grpc.health.v1.Health: the same truth as the HTTP probes.

#include <health.grpc.pb.h>

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

 private:
  const Services services_;
};

}  // namespace kefu::serve
