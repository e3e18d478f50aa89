#pragma once
// Opening the listening sockets. Internal to serve: includes Asio.

#include <memory>
#include <vector>

#include "base/result.h"
#include "net/io.h"
#include "serve/http_settings.h"

namespace kefu::serve {

struct Listener {
  std::shared_ptr<boost::asio::io_context> context;
  net::Acceptor acceptor;  // bound and listening
};

/// One listening socket a thread, all on the same port (SO_REUSEPORT: the kernel spreads the connections).
/// Another server on the port is an error even if it would share. Errors: see start_http_server.
Result<std::vector<Listener>> open_listeners(const HttpSettings& settings);

}  // namespace kefu::serve
