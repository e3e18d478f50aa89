#include "model/manifest.h"

namespace kefu::model {

namespace fs = std::filesystem;

namespace {

/// Whether an existing file is in the folder, links followed.
bool is_inside(const fs::path& file, const fs::path& folder) {
  std::error_code of_file;
  std::error_code of_folder;
  const fs::path within = fs::canonical(file, of_file).lexically_relative(fs::canonical(folder, of_folder));
  return !of_file && !of_folder && !within.empty() && *within.begin() != "..";
}

}  // namespace

Result<std::string> verify_files(const Json& manifest, const fs::path& folder,
                                 const std::vector<std::string>& required, const std::string& remedy) {
  const std::string source = (folder / "manifest.json").string();
  KEFU_ASSIGN(const auto files, json_get<Json>(manifest, "files", source));
  for (const std::string& name : required) {
    if (!files.contains(name))
      return fail(Code::kInvalidArgument, "{} does not list {}; {}", source, name, remedy);
  }
  std::string joint;
  for (const auto& [name, entry] : files.items()) {
    KEFU_ASSIGN(const auto expected, json_get<std::string>(entry, "sha256", source));
    const std::string path = (folder / name).string();
    if (!fs::exists(path)) return fail(Code::kNotFound, "{} is missing; {}", path, remedy);
    if (!is_inside(path, folder)) {
      return fail(Code::kInvalidArgument,
                  "{} is not in the folder of its manifest, or is a link out of it; {}", path, remedy);
    }
    KEFU_ASSIGN(const auto actual, sha256_file(path));
    if (actual != expected) {
      return fail(Code::kDataLoss, "{} is not the file its manifest names (SHA-256 {}, expected {}); {}",
                  path, actual.substr(0, 12), expected.substr(0, 12), remedy);
    }
    joint += fmt::format("{} {}\n", name, actual);
  }
  return sha256_hex(joint);
}

Result<Json> list_files(const fs::path& folder, const std::vector<std::string>& names) {
  Json files = Json::object();
  for (const std::string& name : names) {
    KEFU_ASSIGN(const auto digest, sha256_file(folder / name));
    files[name] = {{"sha256", digest}, {"bytes", fs::file_size(folder / name)}};
  }
  return files;
}

}  // namespace kefu::model
