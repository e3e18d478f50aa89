#include "auth/principal.h"

#include <algorithm>

namespace kefu::auth {
namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::optional<Scope> find_scope(std::string_view name) {
  if (name == "infer") return Scope::kInfer;
  if (name == "admin") return Scope::kAdmin;
  if (name == "metrics") return Scope::kMetrics;
  return std::nullopt;
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, allowed);
}

bool is_loggable(std::string_view text) {
  const auto allowed = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, allowed);
}

}  // namespace kefu::auth
