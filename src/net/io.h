#pragma once
// Asio's types for what runs on an io_context, and on nothing else. Its defaults leave the executor open,
// which costs every step of every request an indirect call and often an allocation. Includes Asio.

#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kefu::net {

using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// A coroutine's result.
template <typename T>
using Awaitable = boost::asio::awaitable<T, Executor>;

/// What a coroutine names to await an operation …
using Await = boost::asio::use_awaitable_t<Executor>;
inline constexpr Await kAwait{};

/// … and to get its error as a value: auto [error, size] = co_await socket.async_read_some(buffer, kTuple).
inline constexpr auto kTuple = boost::asio::as_tuple(Await());

/// Where a coroutine waits for something that is no operation of Asio's. Used on the coroutine's thread only.
class Parking {
 public:
  /// Waits for the next wake().
  Awaitable<void> wait() {
    return boost::asio::async_initiate<const Await, void()>(
        [this](auto&& handler) { waiting_.emplace(std::forward<decltype(handler)>(handler)); }, kAwait);
  }

  /// Resumes whoever waits, before it returns; nobody: does nothing.
  void wake() {
    if (!waiting_) return;
    auto handler = *std::move(waiting_);
    waiting_.reset();
    std::move(handler)();
  }

 private:
  std::optional<boost::asio::async_result<Await, void()>::handler_type> waiting_;
};

}  // namespace kefu::net
