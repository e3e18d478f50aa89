#include "serve/grpc_server.h"

#include <grpcpp/grpcpp.h>

#include "serve/grpc_health.h"
#include "serve/grpc_service.h"

namespace kefu::serve {
namespace {

constexpr int kKeepaliveTimeMs = 2 * 60 * 60 * 1000;
constexpr int kKeepaliveTimeoutMs = 20'000;
constexpr int kLeastPingMs = 5'000;  // clients behind load balancers ping often, with and without calls
constexpr int kPingStrikes = 2;
constexpr int kStreamsOfConnection = 256;

constexpr unsigned kCertificatesEvery = 1;  // seconds between two looks at the files

std::shared_ptr<grpc::ServerCredentials> credentials(const net::TlsSettings& tls) {
  if (!tls.enabled()) return grpc::InsecureServerCredentials();
  namespace experimental = grpc::experimental;
  experimental::TlsServerCredentialsOptions options(
      std::make_shared<experimental::FileWatcherCertificateProvider>(tls.key, tls.certificate, tls.client_ca,
                                                                     kCertificatesEvery));
  options.watch_identity_key_cert_pairs();
  if (!tls.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return experimental::TlsServerCredentials(options);
}

class RunningGrpcServer final : public GrpcServer {
 public:
  RunningGrpcServer(const GrpcSettings& settings, const net::TlsSettings& tls, const Services& services)
      : service_(services, settings.admin), health_(services) {
    const int max_bytes = static_cast<int>(settings.max_message_bytes);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(settings.host + ":" + std::to_string(settings.port), credentials(tls), &port_);
    builder.RegisterService(&service_);
    builder.RegisterService(&health_);
    builder.SetMaxReceiveMessageSize(max_bytes);
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second server on the port is an error
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastPingMs);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, kPingStrikes);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsOfConnection);
    builder.SetResourceQuota(grpc::ResourceQuota("kefu").Resize(settings.memory_bytes));
    server_ = builder.BuildAndStart();
  }

  ~RunningGrpcServer() override {
    if (!server_) return;
    health_.leave();
    service_.leave();
    server_->Shutdown(std::chrono::system_clock::now());
  }

  bool is_listening() const { return server_ != nullptr && port_ > 0; }
  std::uint16_t port() const override { return static_cast<std::uint16_t>(port_); }
  void health_changed() override { health_.changed(); }
  bool stop(std::chrono::milliseconds limit) override {
    const auto end = std::chrono::system_clock::now() + limit;
    health_.leave();
    service_.leave();
    server_->Shutdown(end);
    return std::chrono::system_clock::now() < end;
  }

 private:
  GrpcService service_;
  HealthService health_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;  // ends before the services
};

}  // namespace

Result<std::unique_ptr<GrpcServer>> start_grpc_server(const GrpcSettings& settings,
                                                      const net::TlsSettings& tls, const Services& services) {
  auto server = std::make_unique<RunningGrpcServer>(settings, tls, services);
  if (!server->is_listening()) {
    return fail(
        Code::kUnavailable,
        "cannot listen on {}:{} for gRPC: the port is in use or the address is not this machine's; choose "
        "others with grpc.port and grpc.host, or set grpc.enabled=false",
        settings.host, settings.port);
  }
  return server;
}

}  // namespace kefu::serve
