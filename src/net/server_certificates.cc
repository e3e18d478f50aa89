#include "net/server_certificates.h"

#include "base/log.h"
#include "net/pem.h"

namespace kefu::net {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::chrono::seconds kLookEvery{1};

/// Application-Layer Protocol Negotiation (RFC 7301): HTTP/1.1 if it is offered, else nothing is agreed.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned offered_length, void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int outcome =
      SSL_select_next_proto(&found, length, kOurs, sizeof(kOurs) - 1, offered, offered_length);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

Result<std::shared_ptr<ServerCertificates>> ServerCertificates::load(const TlsSettings& settings) {
  std::shared_ptr<ServerCertificates> certificates(new ServerCertificates(settings));
  KEFU_ASSIGN(certificates->files_, certificates->read());
  KEFU_ASSIGN(certificates->context_, certificates->make(certificates->files_));
  return certificates;
}

std::shared_ptr<ssl::context> ServerCertificates::current() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - looked_ >= kLookEvery) look();
  return context_;
}

void ServerCertificates::look() {
  looked_ = Clock::now();
  auto files = read();
  if (files && *files == files_) return;
  auto context = files ? make(*files) : tl::unexpected(files.error());
  if (files) files_ = *std::move(files);
  if (context) {
    context_ = *std::move(context);
    spdlog::info(R"("event":"certificates_read")");
  } else {
    spdlog::warn(R"("event":"certificates_refused","reason":"{}")", context.error().message);
  }
}

Result<ServerCertificates::Files> ServerCertificates::read() const {
  Files files;
  KEFU_ASSIGN(files.certificate, read_pem("tls.certificate", settings_.certificate));
  KEFU_ASSIGN(files.key, read_pem("tls.key", settings_.key));
  if (!settings_.client_ca.empty()) {
    KEFU_ASSIGN(files.client_ca, read_pem("tls.client_ca", settings_.client_ca));
  }
  return files;
}

Result<std::shared_ptr<ssl::context>> ServerCertificates::make(const Files& files) const {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  KEFU_CHECK(use_identity(*context, {"tls.certificate", settings_.certificate, files.certificate, "tls.key",
                                     settings_.key, files.key}));
  if (settings_.client_ca.empty()) return context;
  KEFU_CHECK(use_authorities(*context, "tls.client_ca", settings_.client_ca, files.client_ca));
  // OpenSSL resumes no session of a client that it has verified without a name for the context.
  static constexpr unsigned char kName[] = "kefu";
  SSL_CTX_set_session_id_context(native, kName, sizeof(kName) - 1);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

}  // namespace kefu::net
