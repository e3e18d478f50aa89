#pragma once
// Orders to a running server over HTTP.

#include <string>

#include "base/json.h"
#include "net/tls_settings.h"

namespace kefu::cli {

struct AdminServer {
  std::string address = "http://127.0.0.1:8080";
  std::string token_file{};  // empty: no credential is sent
  net::TrustSettings trust{};
};

/// Sends one request and waits. A null body sends none. The answer's JSON;
/// an error answer is the server's sentence with the code of its status. kUnavailable: nobody answers;
/// kNotFound: no such file; kInvalidArgument: the address or a file of `trust`.
Result<Json> ask_server(const AdminServer& server, const std::string& method, const std::string& path,
                        const Json& body);

}  // namespace kefu::cli
