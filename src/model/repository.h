#pragma once
// A repository folder: packages lie in it as <name>/<version>/, versions being whole numbers. A version is
// there as soon as its manifest.json is, which comes with the rename that publishes it.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kefu::model {

/// A package's place in a repository.
struct PackageId {
  std::string name;
  int version = 0;
  std::filesystem::path folder;
};

/// All packages of a repository, by name and version; an absent repository is empty.
std::vector<PackageId> list_packages(const std::filesystem::path& repository);

/// The versions of a name, ascending. kNotFound names what there is.
Result<std::vector<PackageId>> find_versions(const std::filesystem::path& repository, std::string_view name);

/// The highest version of a name. kNotFound names what there is.
Result<PackageId> find_package(const std::filesystem::path& repository, std::string_view name);

/// [A-Za-z0-9][A-Za-z0-9_.-]{0,127}: what a model may be called. kInvalidArgument says so.
Result<void> check_model_name(std::string_view name);

/// The next version of a name, which nobody has published yet.
PackageId next_package(const std::filesystem::path& repository, const std::string& name);

/// manifest.json of a package, with "kind" and "format". kNotFound, kInvalidArgument; `remedy` ends the
/// former.
Result<Json> read_manifest(const std::filesystem::path& folder, std::string_view remedy);

}  // namespace kefu::model
