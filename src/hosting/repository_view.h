#pragma once
// What lies in a repository, and what has become of it.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kefu::hosting {

/// Of each model that has a version a text that is another one when a version is published, replaced or taken
/// away, or when the model's config.json changes.
using RepositoryView = std::map<std::string, std::string>;

/// Reads no file, only what the folders say of them.
RepositoryView look_at(const std::filesystem::path& repository);

struct RepositoryChange {
  std::vector<std::string> changed;  // or new
  std::vector<std::string> gone;
};

RepositoryChange compare(const RepositoryView& before, const RepositoryView& now);

}  // namespace kefu::hosting
