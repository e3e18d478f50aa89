#include "auth/credentials_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "auth/yaml_map.h"
#include "base/file.h"
#include "base/nearest.h"

namespace kefu::auth {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kKeyMembers{"id",    "sha256", "tenant", "scopes", "requests_per_second",
                                           "burst", "expires"};
const std::vector<std::string> kIssuerMembers{"issuer", "audience",     "algorithm",    "key_file",
                                              "key_id", "tenant_claim", "scopes_claim", "requests_per_second",
                                              "burst",  "leeway_s"};
const std::vector<std::string> kScopeNames{"infer", "admin", "metrics"};

constexpr double kLeastPerSecond = 0.001;
constexpr int kMostPerSecond = 1'000'000;
constexpr int kMostLeewaySeconds = 3600;

Result<std::optional<RateLimit>> read_limit(const YamlMap& map) {
  KEFU_ASSIGN(const auto per_second, map.number("requests_per_second", kLeastPerSecond, kMostPerSecond));
  KEFU_ASSIGN(const auto burst, map.whole_number("burst", 1, kMostPerSecond));
  if (!per_second && burst)
    return fail(Code::kInvalidArgument, "{}: burst needs requests_per_second beside it", map.at("burst"));
  if (!per_second) return std::nullopt;
  return RateLimit{.per_second = *per_second,
                   .burst = burst.value_or(static_cast<int>(std::ceil(*per_second)))};
}

Result<Scopes> read_scopes(const YamlMap& map) {
  KEFU_ASSIGN(const auto names, map.list("scopes"));
  Scopes scopes;
  for (const YAML::Node& node : names) {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    const auto scope = find_scope(name);
    if (!scope) {
      return fail(Code::kInvalidArgument, "{}: there is no scope \"{}\"; did you mean {}?", map.at("scopes"),
                  name, nearest_name(name, kScopeNames));
    }
    scopes.add(*scope);
  }
  if (scopes.empty())
    return fail(Code::kInvalidArgument, "{}: a key needs scopes: infer, admin, metrics", map.at("scopes"));
  return scopes;
}

/// "2027-01-31".
std::optional<std::chrono::sys_days> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto digits = [&text](std::size_t begin, std::size_t size) -> std::optional<unsigned> {
    unsigned number = 0;
    const char* end = text.data() + begin + size;
    const bool whole = std::from_chars(text.data() + begin, end, number).ptr == end;
    return whole ? std::optional(number) : std::nullopt;
  };
  const auto year = digits(0, 4);
  const auto month = digits(5, 2);
  const auto day = digits(8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

Result<std::optional<std::chrono::sys_days>> read_expiry(const YamlMap& map) {
  if (!map.has("expires")) return std::nullopt;
  KEFU_ASSIGN(const std::string text, map.text("expires"));
  const auto date = parse_date(text);
  if (!date) {
    return fail(Code::kInvalidArgument, "{}: expires is \"{}\", expected a date such as 2027-01-31",
                map.at("expires"), text);
  }
  return date;
}

Result<std::string> read_name(const YamlMap& map, std::string_view member) {
  KEFU_ASSIGN(std::string name, map.text(member));
  if (!is_name(name)) {
    return fail(Code::kInvalidArgument, "{}: {} is \"{}\", expected 1 to 64 of A-Z a-z 0-9 . _ -",
                map.at(member), member, name);
  }
  return name;
}

/// As lower-case hexadecimal digits.
Result<std::string> read_digest(const YamlMap& map) {
  KEFU_ASSIGN(std::string digest, map.text("sha256"));
  for (char& c : digest) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return fail(Code::kInvalidArgument,
                "{}: sha256 must be the 64 hexadecimal digits of the key's SHA-256, never the key",
                map.at("sha256"));
  }
  return digest;
}

Result<ApiKey> read_key(const YAML::Node& node, const fs::path& file, const std::vector<ApiKey>& before) {
  KEFU_ASSIGN(const YamlMap map, YamlMap::read(node, file.string(), "a key", kKeyMembers));
  ApiKey key;
  KEFU_ASSIGN(key.id, read_name(map, "id"));
  KEFU_ASSIGN(key.sha256, read_digest(map));
  if (map.has("tenant")) {
    KEFU_ASSIGN(key.tenant, read_name(map, "tenant"));
  }
  KEFU_ASSIGN(key.scopes, read_scopes(map));
  KEFU_ASSIGN(key.limit, read_limit(map));
  KEFU_ASSIGN(key.expires, read_expiry(map));
  if (std::ranges::find(before, key.id, &ApiKey::id) != before.end())
    return fail(Code::kInvalidArgument, "{}: a key before this one has the id {} too", map.at("id"), key.id);
  const auto same = std::ranges::find(before, key.sha256, &ApiKey::sha256);
  if (same != before.end()) {
    return fail(Code::kInvalidArgument, "{}: {} has the sha256 of {}; give each a key of its own",
                map.at("sha256"), key.id, same->id);
  }
  return key;
}

Result<SignatureKey> read_signature_key(const YamlMap& map, const fs::path& file) {
  KEFU_ASSIGN(const std::string name, map.text("algorithm"));
  const auto algorithm = find_algorithm(name);
  if (!algorithm) {
    return fail(Code::kInvalidArgument, "{}: algorithm is \"{}\", expected one of HS256, RS256, ES256",
                map.at("algorithm"), name);
  }
  KEFU_ASSIGN(const std::string key_file, map.text("key_file"));
  const fs::path path = file.parent_path() / key_file;  // an absolute path stays as it is
  const auto content = read_file(path);
  if (!content) return fail(content.error().code, "{}: {}", map.at("key_file"), content.error().message);
  auto key = SignatureKey::read(*algorithm, *content);
  if (!key)
    return fail(key.error().code, "{}: {} {}", map.at("key_file"), path.string(), key.error().message);
  return key;
}

/// The token's issuer chooses the key, so that each must be told from the others.
Result<void> check_distinct(const YamlMap& map, const JwtIssuer& issuer,
                            const std::vector<JwtIssuer>& before) {
  for (const JwtIssuer& other : before) {
    if (other.issuer != issuer.issuer) continue;
    if (other.key_id.empty() || issuer.key_id.empty() || other.key_id == issuer.key_id) {
      return fail(Code::kInvalidArgument, "{}: {} comes twice; give each of its keys a key_id of its own",
                  map.at("issuer"), issuer.issuer);
    }
  }
  return {};
}

Result<JwtIssuer> read_issuer(const YAML::Node& node, const fs::path& file,
                              const std::vector<JwtIssuer>& before) {
  KEFU_ASSIGN(const YamlMap map, YamlMap::read(node, file.string(), "an issuer", kIssuerMembers));
  KEFU_ASSIGN(SignatureKey key, read_signature_key(map, file));
  KEFU_ASSIGN(std::string name, map.text("issuer"));
  if (!is_loggable(name) || name.find('#') != std::string::npos) {
    return fail(Code::kInvalidArgument,
                "{}: issuer must be at most 255 printable ASCII characters without '\"', '\\' and '#'",
                map.at("issuer"));
  }
  KEFU_ASSIGN(std::string audience, map.text("audience"));
  JwtIssuer issuer{.key = std::move(key), .issuer = std::move(name), .audience = std::move(audience)};
  KEFU_ASSIGN(issuer.key_id, map.text("key_id", ""));
  KEFU_ASSIGN(issuer.tenant_claim, map.text("tenant_claim", issuer.tenant_claim));
  KEFU_ASSIGN(issuer.scopes_claim, map.text("scopes_claim", issuer.scopes_claim));
  KEFU_ASSIGN(issuer.limit, read_limit(map));
  KEFU_ASSIGN(const auto leeway, map.whole_number("leeway_s", 0, kMostLeewaySeconds));
  if (leeway) issuer.leeway = std::chrono::seconds(*leeway);
  KEFU_CHECK(check_distinct(map, issuer, before));
  return issuer;
}

}  // namespace

Result<Credentials> read_credentials(const fs::path& file) {
  KEFU_ASSIGN(const std::string text, read_file(file));
  KEFU_ASSIGN(const YAML::Node root, parse_yaml(text, file.string()));
  KEFU_ASSIGN(const YamlMap map, YamlMap::read(root, file.string(), "the file", {"keys", "jwt"}));
  Credentials credentials;
  KEFU_ASSIGN(const auto keys, map.list("keys"));
  for (const YAML::Node& node : keys) {
    KEFU_ASSIGN(ApiKey key, read_key(node, file, credentials.keys));
    credentials.keys.push_back(std::move(key));
  }
  if (const YAML::Node* section = map.find("jwt")) {
    KEFU_ASSIGN(const YamlMap jwt, YamlMap::read(*section, file.string(), "jwt", {"issuers"}));
    KEFU_ASSIGN(const auto issuers, jwt.list("issuers"));
    for (const YAML::Node& node : issuers) {
      KEFU_ASSIGN(JwtIssuer issuer, read_issuer(node, file, credentials.issuers));
      credentials.issuers.push_back(std::move(issuer));
    }
  }
  if (credentials.keys.empty() && credentials.issuers.empty()) {
    return fail(Code::kInvalidArgument, "{}: no keys and no issuers, so that nobody could be served; add one",
                file.string());
  }
  return credentials;
}

}  // namespace kefu::auth
