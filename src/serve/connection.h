#pragma once
// One HTTP/1.1 connection. Internal to serve: includes Asio, keeps Beast out of sight.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "hosting/entrance.h"
#include "net/io.h"
#include "net/server_certificates.h"
#include "serve/http_settings.h"
#include "serve/mailbox.h"
#include "serve/middleware.h"

namespace kefu::serve {

/// What the connections of one I/O thread share. Touched on that thread only.
struct ConnectionHost {
  std::shared_ptr<boost::asio::io_context> context;
  const HttpSettings& settings;
  const Middleware& middleware;
  hosting::Entrance& entrance;
  std::atomic<std::size_t>& cut;          // counts the requests that abandon() ends
  net::ServerCertificates* certificates;  // none: no TLS
  std::shared_ptr<Mailbox> mailbox;       // of the thread
  bool draining = false;                  // replies from now on close their connection
};

/// How exact the time limits of connections are. They are looked at so often rather than set as timers: a
/// request has half a dozen, and next to none of them ever passes.
constexpr std::chrono::milliseconds kTick{20};

/// A handle on a running connection; the coroutine behind it owns itself. All calls on the I/O thread.
class Connection {
 public:
  virtual ~Connection() = default;

  /// Closes the connection if it waits for a request; else it closes after the reply at hand.
  virtual void drain() = 0;

  /// Ends it now: a request at hand gets 503 (its late result is dropped), one still being read is cut off.
  virtual void abandon() = 0;

  /// To be called every kTick while the connection is there.
  virtual void tick(std::chrono::steady_clock::time_point now) = 0;
};

/// Serves `socket` until either side ends it; `on_end` then runs on the I/O thread, once, last.
std::shared_ptr<Connection> start_connection(ConnectionHost& host, net::Socket socket,
                                             std::function<void(Connection*)> on_end);

}  // namespace kefu::serve
