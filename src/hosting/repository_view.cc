#include "hosting/repository_view.h"

#include <set>

#include <sys/stat.h>

#include "model/repository.h"

namespace kefu::hosting {
namespace {

/// Which file it is, how long, and when it was written last; "-" if it is not there.
std::string trace_of(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return "-";
  return fmt::format("{}.{}.{}.{}", found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

/// Of the files of a folder, in order.
std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

RepositoryView look_at(const std::filesystem::path& repository) {
  RepositoryView view;
  for (const model::PackageId& package : model::list_packages(repository)) {
    std::string& text = view[package.name];
    if (text.empty()) text = "config " + trace_of(repository / package.name / "config.json");
    text += fmt::format(", {}", package.version);
    for (const auto& name : names_in(package.folder)) text += " " + trace_of(package.folder / name);
  }
  return view;
}

RepositoryChange compare(const RepositoryView& before, const RepositoryView& now) {
  RepositoryChange change;
  for (const auto& [name, text] : now) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != text) change.changed.push_back(name);
  }
  for (const auto& [name, text] : before) {
    if (!now.contains(name)) change.gone.push_back(name);
  }
  return change;
}

}  // namespace kefu::hosting
