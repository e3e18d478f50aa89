#pragma once
// grpc.health.v1.Health: the same truth as the HTTP probes.

#include <functional>

#include <health.grpc.pb.h>

#include "hosting/model_table.h"

namespace kefu::serve {

/// The service "" and those of this server are SERVING while the server is ready; a model's name is SERVING
/// while the model is in service. Thread-safe; `models` must outlive it.
class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  HealthService(const hosting::ModelTable& models, std::function<bool()> draining)
      : models_(models), draining_(std::move(draining)) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;

 private:
  const hosting::ModelTable& models_;
  const std::function<bool()> draining_;
};

}  // namespace kefu::serve
