#include "serve/listener.h"

#include <sys/socket.h>

namespace kefu::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<void> check(const HttpSettings& settings) {
  struct Row {
    const char* name;
    int value, least, most;
  };
  constexpr int kDay = 24 * 3600 * 1000;
  for (const Row& row : {Row{"port", settings.port, 0, 65535}, Row{"threads", settings.threads, 1, 256},
                         Row{"header_timeout_ms", settings.header_timeout_ms, 1, kDay},
                         Row{"body_timeout_ms", settings.body_timeout_ms, 1, kDay},
                         Row{"idle_timeout_ms", settings.idle_timeout_ms, 1, kDay},
                         Row{"drain_ms", settings.drain_ms, 0, kDay}}) {
    if (row.value < row.least || row.value > row.most) {
      return fail(Code::kInvalidArgument, "http.{} is {}; it must be {} to {}", row.name, row.value,
                  row.least, row.most);
    }
  }
  return {};
}

Result<tcp::endpoint> resolve(const HttpSettings& settings) {
  error_code error;
  asio::io_context context;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(settings.host, std::to_string(settings.port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    return fail(Code::kNotFound,
                "http.host \"{}\" is no address of this machine: {}; use 127.0.0.1, 0.0.0.0 or ::",
                settings.host, error.message());
  }
  return found.begin()->endpoint();
}

tl::unexpected<Error> listen_error(const HttpSettings& settings, const tcp::endpoint& endpoint,
                                   error_code error) {
  const auto at = fmt::format("{}:{}", settings.host, endpoint.port());
  if (error == asio::error::address_in_use) {
    return fail(
        Code::kAlreadyExists,
        "cannot listen on {}: the port is in use; stop the process that has it, or set {} to another port",
        at, settings.port_setting);
  }
  if (error == asio::error::access_denied) {
    return fail(Code::kPermissionDenied,
                "cannot listen on {}: {}; ports below 1024 need a privilege, set {} to a higher one", at,
                error.message(), settings.port_setting);
  }
  return fail(Code::kUnavailable, "cannot listen on {}: {}; check http.host and {}", at, error.message(),
              settings.port_setting);
}

Result<net::Acceptor> open(asio::io_context& context, const HttpSettings& settings,
                           const tcp::endpoint& endpoint, bool share) {
  net::Acceptor acceptor(context);
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(net::Acceptor::reuse_address(true), error);
  if (!error && share) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::Acceptor::max_listen_connections, error);
  if (error) return listen_error(settings, endpoint, error);
  return acceptor;
}

}  // namespace

Result<std::vector<Listener>> open_listeners(const HttpSettings& settings) {
  KEFU_CHECK(check(settings));
  KEFU_ASSIGN(tcp::endpoint endpoint, resolve(settings));
  if (settings.threads > 1) {
    // Without SO_REUSEPORT a port that someone else listens on is refused; with it we would share it
    // unawares.
    asio::io_context context;
    KEFU_ASSIGN(const net::Acceptor probe, open(context, settings, endpoint, false));
    endpoint = probe.local_endpoint();
  }
  std::vector<Listener> listeners;
  for (int i = 0; i < settings.threads; ++i) {
    auto context = std::make_shared<asio::io_context>(1);
    KEFU_ASSIGN(net::Acceptor acceptor, open(*context, settings, endpoint, settings.threads > 1));
    listeners.push_back({std::move(context), std::move(acceptor)});
  }
  return listeners;
}

}  // namespace kefu::serve
