#include "net/pem.h"

#include "base/file.h"

namespace kefu::net {

namespace ssl = boost::asio::ssl;
using boost::asio::buffer;
using boost::system::error_code;

Result<std::string> read_pem(const std::string& setting, const std::string& path) {
  if (path.empty()) return fail(Code::kInvalidArgument, "{} is not set; name the PEM file there", setting);
  auto text = read_file(path);
  if (!text) return fail(Code::kInvalidArgument, "{}: {}", setting, text.error().message);
  return text;
}

Result<void> use_identity(ssl::context& context, const Identity& identity) {
  error_code error;
  // OpenSSL would ask at the terminal.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); },
                                error);
  if (!error) context.use_certificate_chain(buffer(identity.certificate), error);
  if (error) {
    return fail(Code::kInvalidArgument, "{}: {} holds no certificate in PEM ({})",
                identity.certificate_setting, identity.certificate_path, error.message());
  }
  context.use_private_key(buffer(identity.key), ssl::context::pem, error);
  if (!error) return {};
  if (error.value() != 0 &&
      ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH) {
    return fail(Code::kInvalidArgument, "{}: the key in {} does not belong to the certificate in {}",
                identity.key_setting, identity.key_path, identity.certificate_path);
  }
  return fail(Code::kInvalidArgument, "{}: {} holds no private key in PEM without a password ({})",
              identity.key_setting, identity.key_path, error.message());
}

Result<void> use_authorities(ssl::context& context, const std::string& setting, const std::string& path,
                             const std::string& pem) {
  error_code error;
  context.add_certificate_authority(buffer(pem), error);
  if (!error) return {};
  return fail(Code::kInvalidArgument, "{}: {} holds no certificate in PEM ({})", setting, path,
              error.message());
}

}  // namespace kefu::net
