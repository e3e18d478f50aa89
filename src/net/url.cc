#include "net/url.h"

#include <algorithm>
#include <charconv>

namespace kefu::net {
namespace {

constexpr std::string_view kForm = "write http://HOST:PORT or grpc://HOST:PORT, over TLS https: or grpcs:";

struct Scheme {
  std::string_view prefix;
  bool is_grpc, is_secure;
};
constexpr Scheme kSchemes[] = {
    {"http://", false, false}, {"https://", false, true}, {"grpc://", true, false}, {"grpcs://", true, true}};

bool is_host_character(char c, bool in_brackets) {
  const bool letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter_or_digit || c == '.' || c == '-' || c == '_' || (in_brackets && (c == ':' || c == '%'));
}

bool is_host(std::string_view host, bool in_brackets) {
  return !host.empty() &&
         std::ranges::all_of(host, [&](char c) { return is_host_character(c, in_brackets); });
}

}  // namespace

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Url::text() const {
  return fmt::format("{}{}://{}", is_grpc ? "grpc" : "http", is_secure ? "s" : "", authority());
}

Result<Url> parse_url(std::string_view text) {
  const auto* const scheme =
      std::ranges::find_if(kSchemes, [&](const Scheme& one) { return text.starts_with(one.prefix); });
  if (scheme == std::end(kSchemes))
    return fail(Code::kInvalidArgument, "\"{}\" is no address of a server: {}", text, kForm);
  Url url{.is_grpc = scheme->is_grpc, .is_secure = scheme->is_secure};
  std::string_view rest = text.substr(scheme->prefix.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "\"{}\" has a path: {}, and the path with --path", text, kForm);
  }
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || rest.ends_with(']'))
    return fail(Code::kInvalidArgument, "\"{}\" has no port: {}", text, kForm);
  std::string_view host = rest.substr(0, colon);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (!is_host(host, in_brackets))
    return fail(Code::kInvalidArgument, "\"{}\" has the host \"{}\", which is none: {}", text, host, kForm);
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc() || end != port.data() + port.size() || url.port == 0)
    return fail(Code::kInvalidArgument, "\"{}\" has the port \"{}\"; it must be 1 to 65535", text, port);
  url.host = host;
  return url;
}

}  // namespace kefu::net
