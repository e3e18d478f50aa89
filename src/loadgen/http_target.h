#pragma once
// A server that speaks HTTP/1.1.

#include <string>
#include <vector>

#include "loadgen/target.h"
#include "net/tls_settings.h"
#include "net/url.h"

namespace kefu::loadgen {

/// `requests` are whole ones, header and body. Connections are kept alive as long as the server does.
/// Over TLS open() also fails with kInvalidArgument if a file of `trust` is no good.
std::unique_ptr<Target> make_http_target(const net::Url& url, std::vector<std::string> requests,
                                         const net::TrustSettings& trust = {});

}  // namespace kefu::loadgen
