#include "auth/bearer.h"

#include <algorithm>
#include <charconv>

namespace kefu::auth {
namespace {

constexpr std::string_view kToken68 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/";

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token68(std::string_view text) {
  const std::size_t padding = std::min(text.find_first_not_of(kToken68), text.size());
  return padding > 0 && text.find_first_not_of('=', padding) == std::string_view::npos;
}

/// True if a parameter's name, once decoded, is `token` or nearly so.
bool names_token(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    unsigned char escaped = 0;
    if (c == '%' && i + 2 < name.size()) {
      const char* end = name.data() + i + 3;
      if (std::from_chars(name.data() + i + 1, end, escaped, 16).ptr == end) {
        c = static_cast<char>(escaped);
        i += 2;
      }
    }
    if (c != ' ' && c != '\t' && c != '+') plain.push_back(to_lower(c));
  }
  return plain == "token";
}

}  // namespace

Result<std::optional<std::string_view>> credential_of(std::string_view authorization,
                                                      std::string_view query_token) {
  if (authorization.empty()) {
    if (query_token.empty()) return std::nullopt;
    return query_token;
  }
  constexpr std::string_view kScheme = "bearer";
  const std::string_view scheme = authorization.substr(0, authorization.find(' '));
  if (!std::ranges::equal(scheme, kScheme, {}, to_lower))
    return fail(Code::kUnauthenticated, "the Authorization field must read \"Bearer CREDENTIAL\"");
  std::string_view credential = authorization.substr(kScheme.size());
  credential.remove_prefix(std::min(credential.find_first_not_of(' '), credential.size()));
  if (!is_token68(credential)) {
    return fail(Code::kUnauthenticated,
                "what follows \"Bearer\" in the Authorization field is empty or has characters that no "
                "credential has");
  }
  return credential;
}

std::string redact(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::string(target);
  std::string redacted(target.substr(0, mark + 1));
  for (std::size_t begin = mark + 1; begin < target.size();) {
    const std::size_t end = std::min(target.find('&', begin), target.size());
    const std::string_view parameter = target.substr(begin, end - begin);
    const std::size_t equals = parameter.find('=');
    const bool hidden = equals != std::string_view::npos && names_token(parameter.substr(0, equals));
    redacted += hidden ? parameter.substr(0, equals + 1) : parameter;
    if (hidden) redacted += "***";
    if (end < target.size()) redacted += '&';
    begin = end + 1;
  }
  return redacted;
}

}  // namespace kefu::auth
