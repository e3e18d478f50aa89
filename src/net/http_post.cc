#include "net/http_post.h"

#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
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

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMaxAnswerBytes = 1 << 20;

struct Posted {
  error_code error;
  int status = 0;
};

asio::awaitable<error_code> connect(Stream& stream, const Url& url,
                                    const std::shared_ptr<asio::ssl::context>& context) {
  tcp::resolver resolver(stream.get_executor());
  auto [error, found] = co_await resolver.async_resolve(url.host, std::to_string(url.port), kAwait);
  if (error) co_return error;
  std::tie(error) = co_await stream.socket().async_connect(found.begin()->endpoint(), kAwait);
  if (error || !context) co_return error;
  Stream::Tls& tls = stream.secure(context);
  expect_host(*tls.native_handle(), url.host);
  std::tie(error) = co_await tls.async_handshake(asio::ssl::stream_base::client, kAwait);
  co_return error;
}

asio::awaitable<Posted> post(Stream& stream, const PostTarget& target,
                             const std::shared_ptr<asio::ssl::context>& context,
                             const http::request<http::string_body>& request) {
  Posted posted;
  posted.error = co_await connect(stream, target.url, context);
  if (posted.error) co_return posted;
  std::tie(posted.error, std::ignore) = co_await http::async_write(stream, request, kAwait);
  if (posted.error) co_return posted;
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxAnswerBytes);
  std::tie(posted.error, std::ignore) = co_await http::async_read(stream, buffer, parser, kAwait);
  posted.status = parser.get().result_int();
  co_return posted;
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
  constexpr unsigned kHttp11 = 11;
  http::request<http::string_body> request{http::verb::post, target.path, kHttp11, std::move(body)};
  request.set(http::field::host, target.url.authority());
  request.set(http::field::content_type, "application/json");
  request.keep_alive(false);
  request.prepare_payload();
  asio::io_context loop(1);
  Stream stream{tcp::socket(loop)};
  std::optional<Posted> posted;
  asio::co_spawn(loop, post(stream, target, context, request),
                 [&](const std::exception_ptr&, Posted outcome) { posted = outcome; });
  loop.run_for(limit);
  if (!posted) {
    error_code ignored;
    stream.socket().close(ignored);
    loop.restart();
    loop.run();  // what was cut off
    return fail(Code::kDeadlineExceeded, "{} did not answer within {} ms", target.url.text(), limit.count());
  }
  if (posted->error) return fail(Code::kUnavailable, "{}: {}", target.url.text(), posted->error.message());
  return posted->status;
}

}  // namespace kefu::net
