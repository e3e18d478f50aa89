#include "train/rasa_reader.h"

#include <algorithm>

#include "train/data_text.h"
#include "train/rasa_walker.h"
#include "train/yaml_text.h"

namespace kefu::train {
namespace {

namespace fs = std::filesystem;

/// domains/telecom and domains/telecom/ both have the name telecom.
std::string folder_name(const fs::path& folder) {
  const fs::path normal = fs::absolute(folder).lexically_normal();
  return normal.has_filename() ? normal.filename().string() : normal.parent_path().filename().string();
}

Result<std::string> domain_name(const fs::path& folder) {
  const fs::path file = folder / "domain.yml";
  std::error_code error;
  if (!fs::exists(file, error)) return folder_name(folder);
  KEFU_ASSIGN(std::string content, read_data_text(file));
  Dataset complaints;  // about other lines than the one needed
  const std::string yaml =
      mend_utf8(std::move(content), file.string(), Complaint::Level::kWarning, complaints);
  KEFU_ASSIGN(const YAML::Node root, parse_yaml(yaml, file.string()));
  if (!root.IsMap()) return folder_name(folder);
  for (const auto& entry : root) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != "domain") continue;
    if (entry.second.IsScalar() && !trim(entry.second.Scalar()).empty())
      return std::string(trim(entry.second.Scalar()));
    return fail(Code::kInvalidArgument, "{}:{}: \"domain:\" must be one name", file.string(),
                entry.first.Mark().line + 1);
  }
  return folder_name(folder);
}

Result<std::vector<fs::path>> yaml_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  fs::directory_iterator entries(folder, error);
  if (error) {
    return fail(Code::kNotFound, "cannot read the folder {}: {}; a domain has the folders nlu and test",
                folder.string(), error.message());
  }
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    if (path.extension() == ".yml" || path.extension() == ".yaml") files.push_back(path);
    if (error) break;
  }
  if (files.empty()) {
    return fail(Code::kNotFound, "{} has no file *.yml; write one for each language, such as en.yml",
                folder.string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<Dataset> parse_rasa(std::string_view yaml, const std::string& file) {
  Dataset data;
  const std::string text = mend_utf8(std::string(yaml), file, Complaint::Level::kError, data);
  KEFU_ASSIGN(const YAML::Node root, parse_yaml(text, file));
  RasaWalker(text, file, data).read(root);
  return data;
}

Result<Dataset> read_rasa_file(const fs::path& path) {
  KEFU_ASSIGN(const std::string yaml, read_data_text(path));
  KEFU_ASSIGN(Dataset data, parse_rasa(yaml, path.string()));
  const std::string language = language_of_file(path);
  for (Example& example : data.examples) example.language = language;
  return data;
}

Result<Dataset> read_domain(const fs::path& folder, std::string_view part) {
  KEFU_ASSIGN(const std::string domain, domain_name(folder));
  KEFU_ASSIGN(const std::vector<fs::path> files, yaml_files(folder / part));
  Dataset data;
  for (const fs::path& file : files) {
    KEFU_ASSIGN(Dataset read, read_rasa_file(file));
    for (Example& example : read.examples) example.domain = domain;
    merge(std::move(read), data);
  }
  return data;
}

}  // namespace kefu::train
