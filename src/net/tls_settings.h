#pragma once
// The files of TLS (RFC 8446, RFC 5246); PEM.

#include <string>

namespace kefu::net {

/// Section `tls` of kefu.yaml. With a certificate every port speaks TLS 1.2 or 1.3 and nothing else. The
/// files are read again when they change; connections that stand keep what they began with.
struct TlsSettings {
  std::string certificate{};  // file: the server's, then those that signed it; empty: no TLS
  std::string key{};          // file: its private key, without a password
  std::string client_ca{};    // file: clients must show a certificate signed by one of these; empty: none

  bool enabled() const { return !certificate.empty() || !key.empty() || !client_ca.empty(); }
};

/// What a client trusts, and shows if it is asked.
struct TrustSettings {
  std::string ca{};           // file; empty: the certificates that the machine trusts
  std::string certificate{};  // file; empty: none is shown
  std::string key{};          // file
};

}  // namespace kefu::net
