#include "serve/grpc_health.h"

#include <mutex>

namespace kefu::serve {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

/// Writes a status when it is another than that written last.
class HealthService::WatchReactor final : public grpc::ServerWriteReactor<HealthCheckResponse>,
                                          public OpenStream,
                                          public std::enable_shared_from_this<WatchReactor> {
 public:
  WatchReactor(HealthService& health, std::string service) : health_(health), service_(std::move(service)) {}

  void changed() {
    const auto status = health_.status_of(service_);
    const std::lock_guard lock(mutex_);
    wanted_ = status;
    write_if_new();
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    finish({grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    if (!ok) return finish({grpc::StatusCode::CANCELLED, "the caller has gone"});
    write_if_new();
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    finish({grpc::StatusCode::CANCELLED, "the caller has gone"});
  }

  void OnDone() override { health_.watches_.remove(shared_from_this()); }

 private:
  /// With the lock held, as the next.
  void write_if_new() {
    if (is_writing_ || is_finished_ || wanted_ == message_.status()) return;
    is_writing_ = true;
    message_.set_status(wanted_);
    StartWrite(&message_);
  }

  void finish(const grpc::Status& status) {
    if (is_finished_) return;
    is_finished_ = true;
    Finish(status);
  }

  HealthService& health_;
  const std::string service_;
  std::mutex mutex_;
  HealthCheckResponse message_;  // that is being written, or was; UNKNOWN: none yet
  HealthCheckResponse::ServingStatus wanted_ = HealthCheckResponse::UNKNOWN;
  bool is_writing_ = false;
  bool is_finished_ = false;
};

HealthCheckResponse::ServingStatus HealthService::status_of(const std::string& service) const {
  const bool is_server =
      service.empty() || service == "inference.GRPCInferenceService" || service == "grpc.health.v1.Health";
  if (is_server) {
    return services_.models.ready() && !services_.draining() ? HealthCheckResponse::SERVING
                                                             : HealthCheckResponse::NOT_SERVING;
  }
  const auto model = services_.models.find(service);
  if (model) return HealthCheckResponse::SERVING;
  return model.error().code == Code::kNotFound ? HealthCheckResponse::SERVICE_UNKNOWN
                                               : HealthCheckResponse::NOT_SERVING;
}

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  response->set_status(status_of(request->service()));
  if (response->status() == HealthCheckResponse::SERVICE_UNKNOWN) {
    reactor->Finish({grpc::StatusCode::NOT_FOUND, "there is neither a service nor a model of this name"});
  } else {
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

grpc::ServerWriteReactor<HealthCheckResponse>* HealthService::Watch(grpc::CallbackServerContext* /*context*/,
                                                                    const HealthCheckRequest* request) {
  const auto watch = std::make_shared<WatchReactor>(*this, request->service());
  watches_.add(watch);
  watch->changed();
  return watch.get();  // held by watches_ until OnDone()
}

void HealthService::changed() {
  for (const auto& watch : watches_.all()) static_cast<WatchReactor&>(*watch).changed();
}

}  // namespace kefu::serve
