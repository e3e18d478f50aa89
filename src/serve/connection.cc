#include "serve/connection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory_resource>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <sys/socket.h>

#include "base/log.h"
#include "net/stream.h"
#include "serve/error_reply.h"
#include "serve/request_head.h"
#include "serve/response_head.h"

namespace kefu::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::kTuple;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Parser = http::request_parser<http::string_body, RequestFields::allocator_type>;

constexpr std::uint32_t kMaxHeaderBytes = 16 * 1024;
constexpr std::size_t kReadBytes = 4 * 1024;
constexpr std::size_t kFieldBytes = 1024;  // of a usual request's line and fields, as the parser keeps them
constexpr milliseconds kDrainIdle{500};   // a connection accepted during the drain may still send one request
constexpr milliseconds kLastWrite{1000};  // for a reply once the drain's time is up
constexpr milliseconds kGoodbye{100};     // for the client to take leave too (close_notify)
constexpr milliseconds kLingerTime{2000};  // to read what a refused client still sends …
constexpr std::size_t kLingerBytes =
    16 * 1024 * 1024;  // … lest the reset overtakes our answer (RFC 9112 §9.6)

class HttpConnection final : public Connection,
                             public Addressee,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(ConnectionHost& host, net::Socket socket) : host_(host), stream_(std::move(socket)) {}

  net::Awaitable<void> run();
  void drain() override;
  void abandon() override;
  void tick(steady_clock::time_point now) override;
  void resume(Reply reply) override;

 private:
  class Answer;
  enum class State { kIdle, kReading, kWaiting, kWriting };

  net::Awaitable<bool> shake_hands();
  net::Awaitable<bool> await_request();
  net::Awaitable<error_code> read_request(Parser& parser, std::shared_ptr<HttpRequest> request);
  net::Awaitable<error_code> read_until(Parser& parser, bool (Parser::*is_there)() const);
  Result<runtime::Permit> admit_body(const Parser& parser);
  net::Awaitable<bool> serve_one();
  net::Awaitable<HttpResponse> answer(std::shared_ptr<HttpRequest> request);
  void watch_client();
  void watch_secure_client();
  net::Awaitable<void> end_watch();
  net::Awaitable<bool> write(HttpResponse response, unsigned http_version, bool head_only, bool keep_alive);
  net::Awaitable<void> linger();
  std::optional<HttpResponse> refuse(HttpRequest& request, error_code error) const;
  void arm(milliseconds limit) {
    expired_ = false;
    deadline_ = steady_clock::now() + limit;
  }
  void disarm() { deadline_ = steady_clock::time_point::max(); }

  ConnectionHost& host_;
  net::Stream stream_;
  boost::beast::flat_buffer buffer_;
  std::array<std::byte, kFieldBytes> fields_{};  // of the request at hand
  std::string head_;                             // of the response at hand
  // Not beast::tcp_stream's own expiry: that closes the socket, and no 408 could be sent.
  steady_clock::time_point deadline_ = steady_clock::time_point::max();
  bool expired_ = false;
  std::optional<Error> no_room_;  // for the body
  State state_ = State::kIdle;
  bool abandoned_ = false;
  bool is_watched_ = false;   // the client, while kWaiting
  bool is_watching_ = false;  // over TLS, by a read
  net::Parking parking_;      // of the coroutine, while it waits for reply_
  std::optional<Reply> reply_;
  std::shared_ptr<Answer> answer_;        // while kWaiting
  std::shared_ptr<HttpRequest> request_;  // while kWaiting
};

/// Takes the first reply, from any thread, back to the I/O thread. A late second one touches nothing.
class HttpConnection::Answer final : public Responder {
 public:
  Answer(std::shared_ptr<Mailbox> mailbox, std::shared_ptr<HttpConnection> connection)
      : mailbox_(std::move(mailbox)), connection_(std::move(connection)) {}

  void answer(Reply reply) override {
    if (!answered_.exchange(true)) mailbox_->put(std::move(connection_), std::move(reply));
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;  // held: it may still be waking its thread when the server is gone
  std::shared_ptr<HttpConnection> connection_;
  std::atomic<bool> answered_ = false;
};

void HttpConnection::resume(Reply reply) {
  reply_ = std::move(reply);
  parking_.wake();
}

void HttpConnection::tick(steady_clock::time_point now) {
  if (state_ == State::kWaiting && !is_watched_ && !reply_.has_value()) watch_client();
  if (now < deadline_) return;
  disarm();
  expired_ = true;
  error_code ignored;
  stream_.socket().cancel(ignored);
}

net::Awaitable<void> HttpConnection::run() {
  bool again = host_.certificates == nullptr || co_await shake_hands();
  while (again) again = co_await serve_one();
  error_code ignored;
  if (stream_.tls() != nullptr && !abandoned_) {
    arm(kGoodbye);
    co_await stream_.tls()->async_shutdown(kTuple);  // close_notify (RFC 8446 §6.1)
  }
  disarm();
  stream_.socket().shutdown(net::Socket::shutdown_both, ignored);
  stream_.socket().close(ignored);
}

/// Begins TLS; false if that fails. Who speaks plain HTTP is told so.
net::Awaitable<bool> HttpConnection::shake_hands() {
  state_ = State::kIdle;
  arm(milliseconds(host_.settings.header_timeout_ms));
  net::Stream::Tls& tls = stream_.secure(host_.certificates->current());
  const auto [error] = co_await tls.async_handshake(asio::ssl::stream_base::server, kTuple);
  disarm();
  if (!error) co_return true;
  spdlog::debug(R"("event":"handshake_failed","reason":"{}")", error.message());
  if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST) {
    static constexpr std::string_view kAnswer =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
        "this port speaks TLS: use https://\n";
    arm(kLastWrite);
    co_await asio::async_write(stream_.socket(), asio::buffer(kAnswer), kTuple);
  }
  co_return false;
}

net::Awaitable<bool> HttpConnection::serve_one() {
  if (!co_await await_request()) co_return false;

  std::pmr::monotonic_buffer_resource memory(fields_.data(), fields_.size());
  Parser parser(std::piecewise_construct, std::make_tuple(), std::make_tuple(&memory));
  parser.header_limit(kMaxHeaderBytes);
  parser.body_limit(host_.settings.max_body_bytes);
  auto request = std::make_shared<HttpRequest>();
  const error_code error = co_await read_request(parser, request);
  disarm();
  const unsigned http_version = parser.get().version();
  if (error) {
    std::optional<HttpResponse> refusal = refuse(*request, error);
    if (!refusal.has_value() || abandoned_) co_return false;
    const bool written = co_await write(*std::move(refusal), http_version, false, false);
    if (written) co_await linger();
    co_return false;
  }

  const bool head_only = request->method == "HEAD";
  HttpResponse response = co_await answer(std::move(request));
  const bool keep_alive = parser.keep_alive() && !host_.draining;
  const bool written = co_await write(std::move(response), http_version, head_only, keep_alive);
  co_return written&& keep_alive;
}

/// Waits for the first byte of a request; false if the connection ends instead.
net::Awaitable<bool> HttpConnection::await_request() {
  if (buffer_.size() > 0) co_return true;
  state_ = State::kIdle;
  const milliseconds idle{host_.settings.idle_timeout_ms};
  arm(host_.draining ? std::min(idle, kDrainIdle) : idle);
  const auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kTuple);
  disarm();
  if (error) co_return false;
  buffer_.commit(size);
  co_return true;
}

net::Awaitable<error_code> HttpConnection::read_request(Parser& parser,
                                                        std::shared_ptr<HttpRequest> request) {
  state_ = State::kReading;
  arm(milliseconds(host_.settings.header_timeout_ms));
  const error_code head_error = co_await read_until(parser, &Parser::is_header_done);
  *request = read_head(parser.get());
  if (head_error || parser.is_done()) co_return head_error;

  auto room = admit_body(parser);
  if (!room) {
    no_room_ = std::move(room).error();
    co_return asio::error::no_buffer_space;
  }
  request->room = *std::move(room);
  arm(milliseconds(host_.settings.body_timeout_ms));
  if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [error, size] = co_await asio::async_write(stream_, asio::buffer(kContinue), kTuple);
    if (error) co_return error;
  }
  parser.eager(true);
  const error_code body_error = co_await read_until(parser, &Parser::is_done);
  request->body = std::move(parser.get().body());
  request->received = steady_clock::now();
  co_return body_error;
}

/// Gives the parser what has arrived, and reads on as it needs. A small request is there already when its
/// first byte has been awaited; Beast's own operations would still go through the queue of the thread, twice.
net::Awaitable<error_code> HttpConnection::read_until(Parser& parser, bool (Parser::*is_there)() const) {
  while (!(parser.*is_there)()) {
    if (buffer_.size() > 0) {
      error_code error;
      buffer_.consume(parser.put(buffer_.data(), error));
      if (!error) continue;
      if (error != http::error::need_more) co_return error;
    }
    auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kTuple);
    buffer_.commit(size);
    if (!error) continue;
    if (error != asio::error::eof) co_return error;
    if (!parser.got_some()) co_return http::error::end_of_stream;
    error.clear();
    parser.put_eof(error);
    if (error) co_return error;
  }
  co_return error_code();
}

/// Room for what is to come: as the header says, or for want of that as much as may come.
Result<runtime::Permit> HttpConnection::admit_body(const Parser& parser) {
  if (!host_.settings.inference) return runtime::Permit();  // orders must get through an overload
  const std::size_t most = host_.settings.max_body_bytes;
  const auto length = parser.content_length();
  return host_.entrance.admit_body(length ? std::min<std::size_t>(*length, most) : most);
}

/// The answer to a request that was not read to its end; none if nobody is there to read it.
std::optional<HttpResponse> HttpConnection::refuse(HttpRequest& request, error_code error) const {
  const auto say = [&](int status, std::string_view detail) {
    return host_.middleware.refuse(request, status, detail);
  };
  if (expired_) {
    return say(408, fmt::format("the request did not arrive within {} ms (header) and {} ms (body)",
                                host_.settings.header_timeout_ms, host_.settings.body_timeout_ms));
  }
  if (no_room_ && no_room_->code == Code::kOutOfRange) host_.entrance.count(hosting::Rejection::kTooLarge);
  if (no_room_) return say(http_status(no_room_->code), no_room_->message);
  if (error == http::error::body_limit) {
    host_.entrance.count(hosting::Rejection::kTooLarge);
    return say(413, fmt::format("the body is larger than {} bytes (http.max_body_bytes)",
                                host_.settings.max_body_bytes));
  }
  if (error == http::error::header_limit) {
    return say(431, fmt::format("the header is larger than {} bytes", kMaxHeaderBytes));
  }
  const bool gone = error == http::error::end_of_stream || error == http::error::partial_message;
  if (gone || error.category() != make_error_code(http::error::bad_method).category()) return std::nullopt;
  return say(400, fmt::format("not a valid HTTP/1.1 request: {}", error.message()));
}

net::Awaitable<HttpResponse> HttpConnection::answer(std::shared_ptr<HttpRequest> request) {
  state_ = State::kWaiting;
  reply_.reset();
  answer_ = std::make_shared<Answer>(host_.mailbox, shared_from_this());
  request_ = std::move(request);
  request_->cancellation = std::make_shared<runtime::Cancellation>();
  host_.middleware.handle(request_, Respond(answer_));
  while (!reply_.has_value()) co_await parking_.wait();
  answer_.reset();
  if (is_watched_) co_await end_watch();
  HttpResponse response = host_.middleware.finish(*request_, *reply_);
  reply_.reset();
  request_.reset();
  co_return response;
}

/// Cancels the request at hand if the client closes the connection or is lost. What it sends meanwhile is its
/// next request, and ends the watch.
void HttpConnection::watch_client() {
  is_watched_ = true;
  if (stream_.tls() != nullptr) return watch_secure_client();
  stream_.socket().async_wait(
      net::Socket::wait_read, [self = shared_from_this(), request = request_](error_code error) {
        if (error) return;
        char byte = 0;
        const ssize_t got = ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        const bool is_gone = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
        if (is_gone) request->cancellation->cancel();
      });
}

/// Over TLS only reading tells an end from more.
void HttpConnection::watch_secure_client() {
  is_watching_ = true;
  stream_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this(), request = request_](
                                                           error_code error, std::size_t size) {
    self->is_watching_ = false;
    self->buffer_.commit(size);
    self->parking_.wake();
    if (error && error != asio::error::operation_aborted) request->cancellation->cancel();
  });
}

net::Awaitable<void> HttpConnection::end_watch() {
  is_watched_ = false;
  error_code ignored;
  stream_.socket().cancel(ignored);
  while (is_watching_) co_await parking_.wait();
}

net::Awaitable<bool> HttpConnection::write(HttpResponse response, unsigned http_version, bool head_only,
                                           bool keep_alive) {
  state_ = State::kWriting;
  write_head(response, http_version % 10, keep_alive, head_);
  const bool has_body = !head_only && response.status != 304;
  std::array<asio::const_buffer, 2> rest{
      asio::buffer(head_), asio::buffer(response.body.data(), has_body ? response.body.size() : 0)};
  error_code failed;
  const std::size_t sent = stream_.write_now(rest, failed);
  rest[1] += sent - std::min(sent, rest[0].size());
  rest[0] += sent;
  if (failed || asio::buffer_size(rest) == 0) co_return !failed;
  arm(abandoned_ ? kLastWrite : milliseconds(host_.settings.body_timeout_ms));
  const auto [error, size] = co_await asio::async_write(stream_, rest, kTuple);
  disarm();
  co_return !error;
}

net::Awaitable<void> HttpConnection::linger() {
  error_code ignored;
  stream_.socket().shutdown(net::Socket::shutdown_send, ignored);
  buffer_.clear();
  state_ = State::kReading;
  arm(kLingerTime);
  for (std::size_t total = 0; total < kLingerBytes && !abandoned_;) {
    const auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kTuple);
    if (error) co_return;
    total += size;
  }
}

void HttpConnection::drain() {
  error_code error;
  if (state_ == State::kIdle && stream_.socket().available(error) == 0) stream_.socket().cancel(error);
}

void HttpConnection::abandon() {
  abandoned_ = true;
  if (state_ != State::kIdle) ++host_.cut;
  if (state_ == State::kWaiting && answer_ != nullptr) {
    host_.entrance.count(hosting::Rejection::kDraining);
    answer_->answer([self = shared_from_this()] {
      return error_response(*self->request_, 503, "the server shut down before the answer was ready");
    });
  } else if (state_ == State::kWriting) {
    arm(kLastWrite);
  } else {
    error_code ignored;
    stream_.socket().cancel(ignored);
  }
}

}  // namespace

std::shared_ptr<Connection> start_connection(ConnectionHost& host, net::Socket socket,
                                             std::function<void(Connection*)> on_end) {
  auto connection = std::make_shared<HttpConnection>(host, std::move(socket));
  asio::co_spawn(
      *host.context, connection->run(),
      [connection, on_end = std::move(on_end)](const std::exception_ptr&) { on_end(connection.get()); });
  return connection;
}

}  // namespace kefu::serve
