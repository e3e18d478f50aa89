#include "loadgen/http_target.h"

#include <cerrno>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <sys/socket.h>

#include "loadgen/http_answer.h"
#include "net/client_context.h"
#include "net/stream.h"

namespace kefu::loadgen {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using net::kTuple;
using std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 16 * 1024;

/// Idle for longer, a connection is looked at before it is used: servers close such ones, which is no
/// failure.
constexpr std::chrono::milliseconds kIdle{10};

/// The server as all connections see it.
struct Server {
  std::string host;
  tcp::endpoint endpoint;
  std::shared_ptr<asio::ssl::context> context;  // none: no TLS
};

/// One connection and the request that it carries.
class HttpLane {
 public:
  HttpLane(asio::io_context& loop, const Server& server)
      : stream_(net::Socket(loop)), socket_(stream_.socket()), server_(server) {
    buffer_.reserve(kReadBytes);
  }

  net::Awaitable<error_code> connect();
  net::Awaitable<Answer> exchange(const std::string& request);
  void close();

 private:
  void close_if_stale();

  net::Stream stream_;
  net::Socket& socket_;  // the stream's
  const Server& server_;
  boost::beast::flat_buffer buffer_;
  Time used_;
};

net::Awaitable<error_code> HttpLane::connect() {
  auto [error] = co_await socket_.async_connect(server_.endpoint, kTuple);
  if (!error && server_.context) {
    net::Stream::Tls& tls = stream_.secure(server_.context);
    net::expect_host(*tls.native_handle(), server_.host);
    std::tie(error) = co_await tls.async_handshake(asio::ssl::stream_base::client, kTuple);
  }
  error_code ignored;
  if (error) {
    socket_.close(ignored);
  } else {
    socket_.set_option(tcp::no_delay(true), ignored);
  }
  used_ = steady_clock::now();
  co_return error;
}

net::Awaitable<Answer> HttpLane::exchange(const std::string& request) {
  Answer answer;
  HttpAnswer reply;
  error_code error;
  close_if_stale();
  if (!socket_.is_open()) error = co_await connect();
  if (!error) {
    std::tie(error, answer.sent_bytes) = co_await asio::async_write(stream_, asio::buffer(request), kTuple);
  }
  if (!error) {
    std::tie(error, answer.received_bytes) = co_await http::async_read(stream_, buffer_, reply, kTuple);
  }
  answer.ended = used_ = steady_clock::now();
  if (!error) answer.outcome = {Outcome::Kind::kHttp, reply.status()};
  if (error || !reply.keep_alive()) close();
  co_return answer;
}

void HttpLane::close() {
  error_code ignored;
  socket_.close(ignored);
  buffer_.clear();
}

void HttpLane::close_if_stale() {
  if (!socket_.is_open() || steady_clock::now() - used_ < kIdle) return;
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN)) close();
}

class HttpTarget final : public Target {
 public:
  HttpTarget(net::Url url, std::vector<std::string> requests, net::TrustSettings trust)
      : url_(std::move(url)), requests_(std::move(requests)), trust_(std::move(trust)) {}

  std::size_t requests() const override { return requests_.size(); }
  Result<void> open(const std::shared_ptr<asio::io_context>& loop, const Plan& plan,
                    Listener& listener) override;
  void send(std::size_t connection, std::size_t request) override;
  void cancel(std::size_t connection) override { lanes_[connection]->close(); }
  void close() override { lanes_.clear(); }

 private:
  Result<void> resolve(asio::io_context& loop);
  Result<void> connect_all(Duration timeout);
  net::Awaitable<void> carry(std::size_t connection, std::size_t request);

  net::Url url_;
  std::vector<std::string> requests_;
  net::TrustSettings trust_;
  Server server_;
  std::vector<std::unique_ptr<HttpLane>> lanes_;
  std::shared_ptr<asio::io_context> loop_;
  Listener* listener_ = nullptr;
};

Result<void> HttpTarget::resolve(asio::io_context& loop) {
  error_code error;
  tcp::resolver resolver(loop);
  const auto found = resolver.resolve(url_.host, std::to_string(url_.port), error);
  if (error || found.empty()) {
    return fail(Code::kUnavailable, "the host \"{}\" is not known: {}; check its name", url_.host,
                error.message());
  }
  server_.host = url_.host;
  server_.endpoint = found.begin()->endpoint();
  return {};
}

Result<void> HttpTarget::connect_all(Duration timeout) {
  std::size_t pending = lanes_.size();
  error_code first = asio::error::timed_out;  // unless something else goes wrong before
  for (const auto& lane : lanes_) {
    asio::co_spawn(*loop_, lane->connect(), [&](const std::exception_ptr&, error_code error) {
      if (error && first == asio::error::timed_out) first = error;
      if (!error) --pending;
    });
  }
  loop_->restart();
  loop_->run_for(timeout);
  if (pending == 0) return {};
  for (const auto& lane : lanes_) lane->close();
  loop_->restart();
  loop_->run();  // what was cut off
  return fail(Code::kUnavailable,
              "{} of {} connections to {} could not be made: {}; start the server there, check the "
              "address, or ask for fewer --connections",
              pending, lanes_.size(), url_.text(), first.message());
}

Result<void> HttpTarget::open(const std::shared_ptr<asio::io_context>& loop, const Plan& plan,
                              Listener& listener) {
  loop_ = loop;
  listener_ = &listener;
  KEFU_CHECK(resolve(*loop));
  if (url_.is_secure) {
    KEFU_ASSIGN(server_.context, net::make_client_context(trust_));
  }
  for (std::size_t i = 0; i < plan.connections; ++i)
    lanes_.push_back(std::make_unique<HttpLane>(*loop, server_));
  const auto connected = connect_all(plan.timeout);
  if (!connected) lanes_.clear();
  return connected;
}

net::Awaitable<void> HttpTarget::carry(std::size_t connection, std::size_t request) {
  const Answer answer = co_await lanes_[connection]->exchange(requests_[request]);
  listener_->on_answer(connection, answer);
}

void HttpTarget::send(std::size_t connection, std::size_t request) {
  asio::co_spawn(*loop_, carry(connection, request), asio::detached);
}

}  // namespace

std::unique_ptr<Target> make_http_target(const net::Url& url, std::vector<std::string> requests,
                                         const net::TrustSettings& trust) {
  return std::make_unique<HttpTarget>(url, std::move(requests), trust);
}

}  // namespace kefu::loadgen
