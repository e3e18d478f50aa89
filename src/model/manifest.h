#pragma once
// The manifest every package folder has: what it is and the digest of each file.

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"

namespace kefu::model {

/// Verifies that every file the manifest lists is there with its digest and that `required` are listed.
/// Returns one digest over all. `remedy` ends every error. kNotFound, kDataLoss, kInvalidArgument.
Result<std::string> verify_files(const Json& manifest, const std::filesystem::path& folder,
                                 const std::vector<std::string>& required, const std::string& remedy);

/// {"name": {"sha256", "bytes"}} of the named files of a folder.
Result<Json> list_files(const std::filesystem::path& folder, const std::vector<std::string>& names);

}  // namespace kefu::model
