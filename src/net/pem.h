#pragma once
// Reading PEM files into a TLS context. Internal to net: includes Asio.

#include <string>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"

namespace kefu::net {

/// The file's contents. kInvalidArgument names `setting`, which names the file.
Result<std::string> read_pem(const std::string& setting, const std::string& path);

/// A certificate with its chain, and the key that belongs to it.
struct Identity {
  std::string certificate_setting, certificate_path, certificate;
  std::string key_setting, key_path, key;
};

/// kInvalidArgument: not PEM, under a password, or key and certificate do not belong together.
Result<void> use_identity(boost::asio::ssl::context& context, const Identity& identity);

/// Trusts certificates that one of those in `pem` signed. kInvalidArgument: `pem` holds none.
Result<void> use_authorities(boost::asio::ssl::context& context, const std::string& setting,
                             const std::string& path, const std::string& pem);

}  // namespace kefu::net
