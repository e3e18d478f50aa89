#pragma once
// The client's side of TLS. Internal to those who call: includes Asio.

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "net/tls_settings.h"

namespace kefu::net {

/// Verifies the server's certificate, always. kInvalidArgument: a file is missing or no good.
Result<std::shared_ptr<boost::asio::ssl::context>> make_client_context(const TrustSettings& settings);

/// Asks that the certificate be for this name or address, and names it to the server (SNI, RFC 6066 §3).
void expect_host(SSL& connection, const std::string& host);

}  // namespace kefu::net
