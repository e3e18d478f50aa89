#include "net/client_context.h"

#include <boost/asio/ip/address.hpp>

#include "net/pem.h"

namespace kefu::net {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Result<std::shared_ptr<ssl::context>> make_client_context(const TrustSettings& settings) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  context->set_verify_mode(ssl::verify_peer);
  if (settings.ca.empty()) {
    error_code error;
    context->set_default_verify_paths(error);
    if (error) return fail(Code::kUnavailable, "the machine's trusted certificates: {}", error.message());
  } else {
    KEFU_ASSIGN(const std::string authorities, read_pem("--ca", settings.ca));
    KEFU_CHECK(use_authorities(*context, "--ca", settings.ca, authorities));
  }
  if (settings.certificate.empty() && settings.key.empty()) return context;
  KEFU_ASSIGN(const std::string certificate, read_pem("--certificate", settings.certificate));
  KEFU_ASSIGN(const std::string key, read_pem("--key", settings.key));
  KEFU_CHECK(use_identity(*context,
                          {"--certificate", settings.certificate, certificate, "--key", settings.key, key}));
  return context;
}

void expect_host(SSL& connection, const std::string& host) {
  error_code not_an_address;
  boost::asio::ip::make_address(host, not_an_address);
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(&connection);
  if (!not_an_address) {
    X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str());
    return;
  }
  SSL_set_tlsext_host_name(&connection, host.c_str());
  SSL_set1_host(&connection, host.c_str());
}

}  // namespace kefu::net
