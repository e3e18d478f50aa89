#include "serve/http_server.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "base/log.h"
#include "runtime/wakeups.h"
#include "serve/connection.h"
#include "serve/listener.h"
#include "serve/routes.h"

namespace kefu::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptPause{
    50};  // after a failed accept, mostly for want of descriptors

/// One I/O thread: an io_context, a listening socket and its connections. Except for the constructor and the
/// two begin_ functions everything runs on that thread.
class Worker {
 public:
  Worker(ConnectionHost host, net::Acceptor acceptor)
      : host_(std::move(host)),
        acceptor_(std::move(acceptor)),
        pause_(*host_.context),
        room_(*host_.context, net::Timer::time_point::max()),
        drain_timer_(*host_.context),
        ticks_(*host_.context) {}

  void start() {
    asio::co_spawn(*host_.context, accept_loop(), asio::detached);
    thread_ = std::thread([this] { run(); });
  }

  /// From any thread; the second call for a thread that has ended has no effect.
  void begin_drain() {
    asio::post(*host_.context, [this] { drain(); });
  }
  void begin_abandon() {
    asio::post(*host_.context, [this] { abandon(); });
  }

  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run();
  net::Awaitable<void> accept_loop();
  bool is_full() const;
  void open(net::Socket socket);
  void tick();
  void drain();
  void abandon();

  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  ConnectionHost host_;
  net::Acceptor acceptor_;
  net::Timer pause_;
  net::Timer room_;  // never expires; cancelled when a connection ends
  net::Timer drain_timer_;
  net::Timer ticks_;  // while there are connections
  std::thread thread_;
};

/// What is ready is done before other threads are woken for it, but not endlessly.
void Worker::run() {
  constexpr int kHandlers = 128;
  for (bool again = true; again;) {
    const runtime::Wakeups wakeups;
    again = host_.context->run_one() > 0;
    for (int i = 0; i < kHandlers && host_.context->poll_one() > 0; ++i) {
    }
  }
}

net::Awaitable<void> Worker::accept_loop() {
  while (!host_.draining) {
    while (is_full() && !host_.draining) co_await room_.async_wait(net::kTuple);
    if (host_.draining) co_return;
    auto [error, socket] = co_await acceptor_.async_accept(net::kTuple);
    if (!error) {
      open(std::move(socket));
    } else if (!host_.draining) {
      spdlog::warn(R"("event":"accept_failed","reason":"{}")", error.message());
      pause_.expires_after(kAcceptPause);
      co_await pause_.async_wait(net::kTuple);
    }
  }
}

/// Whether this thread has its part of the connections.
bool Worker::is_full() const {
  const auto threads = static_cast<std::size_t>(host_.settings.threads);
  return connections_.size() >= std::max<std::size_t>(host_.settings.max_connections / threads, 1);
}

void Worker::open(net::Socket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto connection = start_connection(host_, std::move(socket), [this](Connection* ended) {
    connections_.erase(ended);
    room_.cancel();
    if (!connections_.empty()) return;
    ticks_.cancel();
    if (host_.draining) drain_timer_.cancel();
  });
  connections_.emplace(connection.get(), connection);
  if (connections_.size() == 1) tick();
}

void Worker::tick() {
  ticks_.expires_after(kTick);
  ticks_.async_wait([this](error_code cancelled) {
    if (cancelled || connections_.empty()) return;
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [key, connection] : connections_) connection->tick(now);
    tick();
  });
}

void Worker::drain() {
  if (host_.draining) return;
  host_.draining = true;
  // Clients that the kernel has already accepted for us are served, not reset.
  error_code error;
  acceptor_.non_blocking(true, error);
  while (!error) {
    net::Socket socket = acceptor_.accept(error);
    if (!error) open(std::move(socket));
  }
  acceptor_.close(error);
  pause_.cancel();
  room_.cancel();
  const auto open_connections = connections_;
  for (const auto& [key, connection] : open_connections) connection->drain();
  if (connections_.empty()) return;
  drain_timer_.expires_after(std::chrono::milliseconds(host_.settings.drain_ms));
  drain_timer_.async_wait([this](error_code cancelled) {
    if (!cancelled) abandon();
  });
}

void Worker::abandon() {
  const auto open_connections = connections_;
  for (const auto& [key, connection] : open_connections) connection->abandon();
}

}  // namespace

struct HttpServer::Impl {
  Impl(const HttpSettings& given, const Services& services, CertificatesPtr shown)
      : settings(given),
        certificates(std::move(shown)),
        middleware(make_routes(given, services), given.max_body_bytes, services.entrance, services.gate) {}

  const HttpSettings settings;
  const CertificatesPtr certificates;
  const Middleware middleware;
  std::uint16_t port = 0;
  std::atomic<std::size_t> cut = 0;
  std::mutex join_mutex;
  std::vector<std::unique_ptr<Worker>> workers;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  drain();
  join();
}

std::uint16_t HttpServer::port() const {
  return impl_->port;
}

void HttpServer::drain() {
  for (const auto& worker : impl_->workers) worker->begin_drain();
}

void HttpServer::abandon() {
  for (const auto& worker : impl_->workers) worker->begin_abandon();
}

void HttpServer::join() {
  const std::lock_guard lock(impl_->join_mutex);
  for (const auto& worker : impl_->workers) worker->join();
}

std::size_t HttpServer::cut() const {
  return impl_->cut;
}

Result<std::unique_ptr<HttpServer>> start_http_server(const HttpSettings& settings, const Services& services,
                                                      const CertificatesPtr& certificates) {
  KEFU_ASSIGN(std::vector<Listener> listeners, open_listeners(settings));
  auto impl = std::make_unique<HttpServer::Impl>(settings, services, certificates);
  impl->port = listeners.front().acceptor.local_endpoint().port();
  for (Listener& listener : listeners) {
    ConnectionHost host{listener.context,
                        impl->settings,
                        impl->middleware,
                        services.entrance,
                        impl->cut,
                        impl->certificates.get(),
                        std::make_shared<Mailbox>(listener.context)};
    impl->workers.push_back(std::make_unique<Worker>(std::move(host), std::move(listener.acceptor)));
  }
  for (const auto& worker : impl->workers) worker->start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

}  // namespace kefu::serve
