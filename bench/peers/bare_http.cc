// The least that an HTTP server on Boost.Beast does: reads a request, answers it with the contents of a file.
//   bare_http PORT FILE
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

asio::awaitable<void> serve(tcp::socket socket, const std::string& body) {
  socket.set_option(tcp::no_delay(true));
  boost::beast::flat_buffer buffer;
  for (;;) {
    http::request<http::string_body> request;
    const auto [read_error, read] = co_await http::async_read(socket, buffer, request, kTuple);
    if (read_error) co_return;
    http::response<http::string_body> response(http::status::ok, request.version(), body);
    response.set(http::field::content_type, "application/json");
    response.keep_alive(request.keep_alive());
    response.prepare_payload();
    const auto [write_error, written] = co_await http::async_write(socket, response, kTuple);
    if (write_error || !request.keep_alive()) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, const std::string& body) {
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(kTuple);
    if (!error) asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), body), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::stringstream body;
  body << std::ifstream(argv[2]).rdbuf();
  const std::string text = body.str();
  asio::io_context context(1);
  tcp::acceptor acceptor(context,
                         {asio::ip::address_v4::loopback(), static_cast<unsigned short>(std::atoi(argv[1]))});
  asio::co_spawn(context, accept(acceptor, text), asio::detached);
  std::cout << "http://127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;
  context.run();
}
