#include "hosting/repository_view.h"

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

}  // namespace

RepositoryView look_at(const std::filesystem::path& repository) {
  RepositoryView view;
  for (const model::PackageId& package : model::list_packages(repository)) {
    std::string& text = view[package.name];
    if (text.empty()) text = "config " + trace_of(repository / package.name / "config.json");
    text += fmt::format(", {} {}", package.version, trace_of(package.folder / "manifest.json"));
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
