#include "model/repository.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

namespace kefu::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 128;

int parse_version(const std::string& name) {
  int version = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && !name.starts_with('0') ? version : 0;  // 05 would be a second folder of version 5
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::vector<PackageId> list_packages(const fs::path& repository) {
  std::vector<PackageId> packages;
  std::error_code error;
  for (const auto& model : fs::directory_iterator(repository, error)) {
    if (!model.is_directory() || model.path().filename() == "encoders") continue;
    for (const auto& version : fs::directory_iterator(model.path(), error)) {
      const int number = parse_version(version.path().filename().string());
      if (number > 0 && fs::exists(version.path() / "manifest.json", error))
        packages.push_back({model.path().filename().string(), number, version.path()});
    }
  }
  std::ranges::sort(packages, [](const auto& a, const auto& b) {
    return std::tie(a.name, a.version) < std::tie(b.name, b.version);
  });
  return packages;
}

Result<std::vector<PackageId>> find_versions(const fs::path& repository, std::string_view name) {
  std::vector<PackageId> found;
  std::vector<std::string> known;
  for (PackageId& package : list_packages(repository)) {
    if (known.empty() || known.back() != package.name) known.push_back(package.name);
    if (package.name == name) found.push_back(std::move(package));
  }
  if (!found.empty()) return found;
  return fail(Code::kNotFound, "there is no model \"{}\" in {}; there: {}; train it with kefu train", name,
              repository.string(), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

Result<PackageId> find_package(const fs::path& repository, std::string_view name) {
  KEFU_ASSIGN(auto versions, find_versions(repository, name));
  return std::move(versions.back());
}

Result<void> check_model_name(std::string_view name) {
  const bool is_good = !name.empty() && name.size() <= kLongestName && is_alphanumeric(name[0]) &&
                       std::ranges::all_of(name, [](char c) {
                         return is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
                       });
  if (is_good) return {};
  return fail(
      Code::kInvalidArgument,
      "a model's name begins with a letter or digit and has at most {} of letters, digits, '_', '.', '-'",
      kLongestName);
}

PackageId next_package(const fs::path& repository, const std::string& name) {
  int version = 1;
  for (const PackageId& package : list_packages(repository)) {
    if (package.name == name) version = package.version + 1;
  }
  return {name, version, repository / name / std::to_string(version)};
}

Result<Json> read_manifest(const fs::path& folder, std::string_view remedy) {
  const fs::path source = folder / "manifest.json";
  if (!fs::exists(source))
    return fail(Code::kNotFound, "there is no model in {} (no manifest.json); {}", folder.string(), remedy);
  return read_json(source);
}

}  // namespace kefu::model
