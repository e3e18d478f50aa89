#include "net/http_post.h"

#include <memory>
#include <optional>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "net/client_context.h"
#include "net/stream.h"

namespace kefu::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMaxAnswerBytes = 1 << 20;

struct Posted {
  error_code error;
  int status = 0;
};

/// What an exchange needs as long as it goes on, which may be longer than anybody waits for it.
struct Exchange {
  Exchange(PostTarget its_target, std::shared_ptr<asio::ssl::context> its_context)
      : target(std::move(its_target)), context(std::move(its_context)) {}

  Awaitable<error_code> connect();
  Awaitable<Posted> post();

  const PostTarget target;
  const std::shared_ptr<asio::ssl::context> context;  // none: no TLS
  http::request<http::string_body> request;
  asio::io_context loop{1};
  Stream stream{Socket(loop)};
};

/// To the first of the host's addresses that answers: a name may have one of each family.
Awaitable<error_code> Exchange::connect() {
  asio::ip::basic_resolver<tcp, Executor> resolver(loop);
  auto [error, found] =
      co_await resolver.async_resolve(target.url.host, std::to_string(target.url.port), kTuple);
  if (error) co_return error;
  std::tie(error, std::ignore) = co_await asio::async_connect(stream.socket(), found, kTuple);
  if (error || !context) co_return error;
  Stream::Tls& tls = stream.secure(context);
  expect_host(*tls.native_handle(), target.url.host);
  std::tie(error) = co_await tls.async_handshake(asio::ssl::stream_base::client, kTuple);
  co_return error;
}

Awaitable<Posted> Exchange::post() {
  Posted posted;
  posted.error = co_await connect();
  if (posted.error) co_return posted;
  std::tie(posted.error, std::ignore) = co_await http::async_write(stream, request, kTuple);
  if (posted.error) co_return posted;
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxAnswerBytes);
  std::tie(posted.error, std::ignore) = co_await http::async_read(stream, buffer, parser, kTuple);
  posted.status = static_cast<int>(parser.get().result_int());
  co_return posted;
}

/// Ends an exchange for which nobody waits any more. What the system does for it, looking up a name, cannot
/// be cut off: that goes on without us.
void abandon(std::shared_ptr<Exchange> exchange) {
  error_code ignored;
  exchange->stream.socket().close(ignored);
  exchange->loop.restart();
  exchange->loop.poll();
  if (exchange->loop.stopped()) return;
  std::thread([exchange = std::move(exchange)] { exchange->loop.run(); }).detach();
}

}  // namespace

Result<PostTarget> parse_post_target(std::string_view text) {
  PostTarget target;
  const std::size_t slash = text.find('/', std::min(text.find("//") + 2, text.size()));
  if (slash != std::string_view::npos) target.path = text.substr(slash);
  KEFU_ASSIGN(target.url, parse_url(text.substr(0, slash)));
  if (target.url.is_grpc)
    return fail(Code::kInvalidArgument, "\"{}\" must begin with http:// or https://", text);
  return target;
}

Result<int> post_json(const PostTarget& target, std::string body, std::chrono::milliseconds limit) {
  std::shared_ptr<asio::ssl::context> context;
  if (target.url.is_secure) {
    KEFU_ASSIGN(context, make_client_context(target.trust));
  }
  const auto exchange = std::make_shared<Exchange>(target, std::move(context));
  constexpr unsigned kHttp11 = 11;
  auto& request = exchange->request;
  request = http::request<http::string_body>(http::verb::post, target.path, kHttp11, std::move(body));
  request.set(http::field::host, target.url.authority());
  request.set(http::field::content_type, "application/json");
  request.keep_alive(false);
  request.prepare_payload();
  const auto posted = std::make_shared<std::optional<Posted>>();
  asio::co_spawn(exchange->loop, exchange->post(),
                 [posted](const std::exception_ptr&, Posted outcome) { *posted = outcome; });
  exchange->loop.run_for(limit);
  const std::optional<Posted> outcome = *posted;
  if (!outcome) {
    abandon(exchange);
    return fail(Code::kDeadlineExceeded, "{} did not answer within {} ms", target.url.text(), limit.count());
  }
  if (outcome->error) return fail(Code::kUnavailable, "{}: {}", target.url.text(), outcome->error.message());
  return outcome->status;
}

}  // namespace kefu::net
