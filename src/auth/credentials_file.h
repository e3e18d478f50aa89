#pragma once
// The file that says whose keys and tokens are accepted.

#include <filesystem>
#include <vector>

#include "auth/api_key.h"
#include "auth/jwt.h"

namespace kefu::auth {

struct Credentials {
  std::vector<ApiKey> keys{};        // no two of one id or digest
  std::vector<JwtIssuer> issuers{};  // no two of one issuer, unless their key_ids tell them apart
};

/// Reads the YAML file and the key files it names, which are relative to
/// its folder. Files that cannot be opened: as read_file(); else kInvalidArgument with file:line.
Result<Credentials> read_credentials(const std::filesystem::path& file);

}  // namespace kefu::auth
