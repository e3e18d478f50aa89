#pragma once
// The server's side of TLS. Internal to those who serve: includes Asio.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "net/tls_settings.h"

namespace kefu::net {

/// A context for new connections, made anew when its files have changed. Thread-safe.
class ServerCertificates {
 public:
  /// Reads the files. kInvalidArgument names the setting and the file that is missing or no good.
  static Result<std::shared_ptr<ServerCertificates>> load(const TlsSettings& settings);

  /// For a connection that begins now; never null. Looks at the files once a second at most; if new ones are
  /// no good the old stay, and the log says why.
  std::shared_ptr<boost::asio::ssl::context> current();

 private:
  using Clock = std::chrono::steady_clock;
  struct Files {
    std::string certificate, key, client_ca;
    bool operator==(const Files&) const = default;
  };

  explicit ServerCertificates(TlsSettings settings) : settings_(std::move(settings)) {}
  Result<Files> read() const;
  Result<std::shared_ptr<boost::asio::ssl::context>> make(const Files& files) const;
  void look();

  const TlsSettings settings_;
  std::mutex mutex_;
  Files files_;  // those read last, whether or not they were good
  Clock::time_point looked_ = Clock::now();
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace kefu::net
