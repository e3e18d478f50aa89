#include "serve/server.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <semaphore>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/log.h"
#include "net/server_certificates.h"
#include "serve/http_server.h"

namespace kefu::serve {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Of a server beside the main one, which serves nothing yet.
HttpSettings beside(const HttpSettings& http, int port, const std::string& port_setting) {
  HttpSettings other = http;
  other.port = port;
  other.port_setting = port_setting;
  other.threads = 1;
  other.inference = other.admin = other.metrics = false;
  return other;
}

Result<CertificatesPtr> load_certificates(const net::TlsSettings& settings) {
  if (!settings.enabled()) return nullptr;
  return net::ServerCertificates::load(settings);
}

/// Those who scrape and probe show no certificate: kubelets cannot.
net::TlsSettings for_metrics(net::TlsSettings settings) {
  settings.client_ca.clear();
  return settings;
}

}  // namespace

struct Server::Impl {
  Impl(ServerSettings given, hosting::ModelTable& its_models, hosting::Entrance& its_entrance)
      : settings(std::move(given)), models(its_models), entrance(its_entrance) {}

  void await_signals();
  bool begin_drain();
  void close_soon();
  void close();
  void abandon() const;

  const ServerSettings settings;
  hosting::ModelTable& models;
  hosting::Entrance& entrance;
  std::atomic<bool> draining = false;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<HttpServer> admin;
  std::unique_ptr<HttpServer> metrics;
  std::unique_ptr<GrpcServer> grpc;
  bool grpc_was_cut = false;

  asio::io_context loop;  // of signals and the delay, run on a thread of run_until_signal()
  asio::signal_set signals{loop};
  asio::steady_timer delay{loop};
  std::atomic<bool> is_closing = false;
  std::binary_semaphore closing{0};
  std::mutex close_mutex;
};

/// Each signal begins the next stage.
void Server::Impl::await_signals() {
  signals.async_wait([this](error_code error, int signal) {
    if (error) return;
    spdlog::info(R"("event":"draining","signal":{})", signal);
    if (is_closing) {
      abandon();
    } else if (!begin_drain() || signal == SIGINT) {
      close_soon();
    } else {
      delay.expires_after(std::chrono::milliseconds(settings.shutdown_delay_ms));
      delay.async_wait([this](error_code cancelled) {
        if (!cancelled) close_soon();
      });
    }
    await_signals();
  });
}

/// Readiness says no from here on. False if it did already.
bool Server::Impl::begin_drain() {
  if (draining.exchange(true)) return false;
  if (grpc) grpc->health_changed();
  return true;
}

/// Lets run_until_signal() close.
void Server::Impl::close_soon() {
  if (!is_closing.exchange(true)) closing.release();
}

/// Listeners close; what is in flight is answered. Blocks until it is, or is cut short.
void Server::Impl::close() {
  begin_drain();
  const std::lock_guard lock(close_mutex);
  http->drain();
  if (admin) admin->drain();
  if (grpc && !grpc->stop(std::chrono::milliseconds(settings.http.drain_ms))) grpc_was_cut = true;
  http->join();
  if (admin) admin->join();
  entrance.finish_traces();
  if (!metrics) return;
  metrics->drain();
  metrics->join();
}

/// What is in flight is cut short.
void Server::Impl::abandon() const {
  http->abandon();
  if (admin) admin->abandon();
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  stop();
  impl_->models.set_on_change(nullptr);
}

std::uint16_t Server::http_port() const {
  return impl_->http->port();
}

std::uint16_t Server::grpc_port() const {
  return impl_->grpc ? impl_->grpc->port() : 0;
}

std::uint16_t Server::metrics_port() const {
  return impl_->metrics ? impl_->metrics->port() : 0;
}

void Server::catch_signals() {
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
}

Result<void> Server::run_until_signal() {
  catch_signals();
  impl_->await_signals();
  std::thread signal_thread([this] { impl_->loop.run(); });
  impl_->closing.acquire();
  impl_->close();
  impl_->loop.stop();
  signal_thread.join();
  if (const std::size_t cut = impl_->http->cut() + (impl_->admin ? impl_->admin->cut() : 0); cut > 0)
    return fail(Code::kUnavailable, "{} requests were cut short at the end; raise http.drain_ms", cut);
  if (impl_->grpc_was_cut)
    return fail(Code::kUnavailable, "gRPC calls were cut short at the end; raise http.drain_ms");
  return {};
}

void Server::stop() {
  impl_->close_soon();
  impl_->close();
}

Result<std::unique_ptr<Server>> start_server(const ServerSettings& settings, hosting::ModelTable& models,
                                             hosting::Entrance& entrance, release::Releases& releases,
                                             auth::Gate& gate) {
  auto impl = std::make_unique<Server::Impl>(settings, models, entrance);
  const Services services{models, entrance,      releases,
                          gate,   settings.name, [impl = impl.get()] { return impl->draining.load(); }};
  KEFU_ASSIGN(const CertificatesPtr certificates, load_certificates(settings.tls));
  KEFU_ASSIGN(impl->http, start_http_server(settings.http, services, certificates));
  if (settings.grpc.enabled) {
    KEFU_ASSIGN(impl->grpc, start_grpc_server(settings.grpc, settings.tls, services));
  }
  if (settings.admin_port > 0) {
    HttpSettings admin = beside(settings.http, settings.admin_port, "admin.port");
    admin.admin = true;
    KEFU_ASSIGN(impl->admin, start_http_server(admin, services, certificates));
  }
  if (settings.metrics_enabled) {
    HttpSettings metrics = beside(settings.http, settings.metrics_port, "metrics.port");
    metrics.metrics = true;
    KEFU_ASSIGN(const CertificatesPtr shown, load_certificates(for_metrics(settings.tls)));
    KEFU_ASSIGN(impl->metrics, start_http_server(metrics, services, shown));
  }
  if (impl->grpc) models.set_on_change([grpc = impl->grpc.get()] { grpc->health_changed(); });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

}  // namespace kefu::serve
