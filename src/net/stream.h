#pragma once
// A TCP connection, with or without TLS. Internal to those who speak HTTP: includes Asio.

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/ssl/stream.hpp>

#include "net/io.h"

namespace kefu::net {

/// An AsyncReadStream and AsyncWriteStream for Beast's algorithms. Used by one thread at a time.
class Stream {
 public:
  using Tls = boost::asio::ssl::stream<Socket&>;
  using executor_type = Executor;

  explicit Stream(Socket socket) : socket_(std::move(socket)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }

  /// From here on TLS over the socket: a handshake comes next. Called anew for each connection of the socket.
  Tls& secure(std::shared_ptr<boost::asio::ssl::context> context) {
    tls_.reset();
    context_ = std::move(context);
    return tls_.emplace(socket_, *context_);
  }
  Tls* tls() { return tls_ ? &*tls_ : nullptr; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Token>(token));
    return socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  /// Writes what the socket takes at once, which may be nothing; over TLS it is. An error is that of the
  /// socket.
  template <class Buffers>
  std::size_t write_now(const Buffers& buffers, boost::system::error_code& error) {
    if (tls_) return 0;
    if (!socket_.non_blocking()) socket_.non_blocking(true, error);
    const std::size_t written = socket_.write_some(buffers, error);
    if (error == boost::asio::error::would_block) error.clear();
    return written;
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Token>(token));
    return socket_.async_write_some(buffers, std::forward<Token>(token));
  }

 private:
  Socket socket_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::optional<Tls> tls_;
};

}  // namespace kefu::net
