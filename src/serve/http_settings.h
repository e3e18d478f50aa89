#pragma once
// Settings of the HTTP server; section `http` of kefu.yaml.

#include <cstddef>
#include <string>

namespace kefu::serve {

struct HttpSettings {
  std::string host = "127.0.0.1";  // address or name to listen on
  int port = 8080;                 // 0: any free port
  int threads = 1;                 // I/O threads, each with its own listening socket
  int header_timeout_ms = 10'000;  // from a request's first byte to the end of its header
  int body_timeout_ms = 10'000;    // from the end of the header to that of the body; also for a reply
  int idle_timeout_ms = 75'000;    // between the requests of a connection
  int drain_ms = 30'000;           // at shutdown, what is in flight may take this long; the rest gets 503
  std::size_t max_body_bytes = 2 * 1024 * 1024;
  std::size_t max_text_code_points = 32'000;
  std::size_t max_connections = 4096;  // those beyond wait to be accepted
  bool inference = true;               // whether this server answers requests …
  bool admin = false;                  // … whether it takes orders: load, unload, releases …
  bool metrics = false;                // … and whether it shows metrics
  std::string port_setting = "http.port";
};

}  // namespace kefu::serve
