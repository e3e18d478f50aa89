#include "cli/admin_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "net/client_context.h"

namespace kefu::cli {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

namespace ssl = boost::asio::ssl;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

struct Address {
  bool is_secure = false;
  std::string host;
  std::string port;
};

Result<Address> read_address(std::string_view server) {
  const bool is_secure = server.starts_with("https://");
  const bool has_scheme = is_secure || server.starts_with("http://");
  std::string_view rest = has_scheme ? server.substr(server.find("//") + 2) : server;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t colon = rest.rfind(':');
  if (!has_scheme || colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size()) {
    return fail(Code::kInvalidArgument, "\"{}\" is not an address like http://127.0.0.1:8080", server);
  }
  return Address{is_secure, std::string(rest.substr(0, colon)), std::string(rest.substr(colon + 1))};
}

template <class Stream>
Response exchange(Stream& stream, const Request& request, error_code& error) {
  boost::beast::flat_buffer buffer;
  Response response;
  if (!error) http::write(stream, request, error);
  if (!error) http::read(stream, buffer, response, error);
  return response;
}

Result<Response> send_request(const Address& address, const net::TrustSettings& trust,
                              const Request& request) {
  const auto failed = [&](const error_code& error) {
    return fail(Code::kUnavailable, "no server answers at {}:{} ({}); is it running, and is --server right?",
                address.host, address.port, error.message());
  };
  boost::asio::io_context context;
  error_code error;
  const auto endpoints = tcp::resolver(context).resolve(address.host, address.port, error);
  if (error) return failed(error);
  tcp::socket socket(context);
  boost::asio::connect(socket, endpoints, error);
  if (error) return failed(error);
  Response response;
  if (address.is_secure) {
    KEFU_ASSIGN(const auto tls, net::make_client_context(trust));
    ssl::stream<tcp::socket&> stream(socket, *tls);
    net::expect_host(*stream.native_handle(), address.host);
    stream.handshake(ssl::stream_base::client, error);
    if (error) {
      return fail(Code::kUnavailable,
                  "{}:{} is not trusted: {}; --ca names the file with who signed its certificate",
                  address.host, address.port, error.message());
    }
    response = exchange(stream, request, error);
  } else {
    response = exchange(socket, request, error);
  }
  if (error) return failed(error);
  return response;
}

/// What the server says of a failure, in any of its shapes.
std::string failure_text(const Json& body, unsigned status) {
  for (const char* key : {"error", "detail", "message"}) {
    if (body.is_object() && body.contains(key) && body[key].is_string()) return body[key].get<std::string>();
  }
  return fmt::format("the server answered {}", status);
}

}  // namespace

Result<Json> ask_server(const AdminServer& server, const std::string& method, const std::string& path,
                        const Json& body) {
  KEFU_ASSIGN(const Address address, read_address(server.address));
  constexpr unsigned kHttp11 = 11;
  Request request{http::string_to_verb(method), path, kHttp11};
  request.set(http::field::host, address.host);
  request.keep_alive(false);
  if (!server.token_file.empty()) {
    KEFU_ASSIGN(std::string token, read_file(server.token_file));
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
    request.set(http::field::authorization, "Bearer " + token);
  }
  if (!body.is_null()) {
    request.set(http::field::content_type, "application/json");
    request.body() = body.dump();
  }
  request.prepare_payload();
  KEFU_ASSIGN(const auto response, send_request(address, server.trust, request));
  Json answer = Json::parse(response.body(), nullptr, false);
  const unsigned status = response.result_int();
  if (status == 404 && !(answer.is_object() && answer.contains("code"))) {
    return fail(Code::kNotFound,
                "{}{} is not there: is this the port that takes orders (http.admin, admin.port)?",
                server.address, path);
  }
  if (status >= 400) return fail(Code::kUnknown, "{}", failure_text(answer, status));
  if (answer.is_discarded()) return fail(Code::kUnknown, "{} did not answer in JSON", server.address);
  return answer;
}

}  // namespace kefu::cli
