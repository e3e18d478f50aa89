#include "serve/grpc_health.h"

namespace kefu::serve {

using grpc::health::v1::HealthCheckResponse;

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const grpc::health::v1::HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  const std::string& service = request->service();
  const bool is_server =
      service.empty() || service == "inference.GRPCInferenceService" || service == "grpc.health.v1.Health";
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (is_server) {
    response->set_status(services_.models.ready() && !services_.draining()
                             ? HealthCheckResponse::SERVING
                             : HealthCheckResponse::NOT_SERVING);
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  const auto model = services_.models.find(service);
  if (!model && model.error().code == Code::kNotFound) {
    reactor->Finish({grpc::StatusCode::NOT_FOUND, "there is neither a service nor a model of this name"});
    return reactor;
  }
  response->set_status(model ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace kefu::serve
