#include "model/nlu_package.h"

#include <algorithm>
#include <charconv>

#include "model/manifest.h"

namespace kefu::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainAgain = "train it again with kefu train";

int parse_version(const std::string& name) {
  int version = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
  return error == std::errc() && end == name.data() + name.size() ? version : 0;
}

/// Links the encoder's files into the package, or copies them where links cannot reach.
Result<void> include_encoder(const fs::path& encoder, const fs::path& target) {
  std::error_code error;
  fs::create_directory(target, error);
  KEFU_ASSIGN(Json manifest, read_json(encoder / "manifest.json"));
  const Json files = manifest["files"];
  for (const char* name : {"body.onnx", "embeddings.bin", "tokenizer.json"}) {
    fs::create_hard_link(encoder / name, target / name, error);
    if (error) fs::copy_file(encoder / name, target / name, error);
    if (error)
      return fail(Code::kUnavailable, "cannot copy {} into the package: {}", (encoder / name).string(),
                  error.message());
  }
  manifest["files"] = Json::object();
  for (const char* name : {"body.onnx", "embeddings.bin", "tokenizer.json"})
    manifest["files"][name] = files[name];
  return write_file(target / "manifest.json", manifest.dump(2) + "\n");
}

}  // namespace

Result<NluPackage> load_nlu_package(const fs::path& folder) {
  const std::string source = (folder / "manifest.json").string();
  if (!fs::exists(source))
    return fail(Code::kNotFound, "there is no model in {} (no manifest.json); {}", folder.string(),
                kTrainAgain);
  NluPackage package;
  package.folder = folder;
  KEFU_ASSIGN(const Json json, read_json(source));
  KEFU_ASSIGN(const auto kind, json_get<std::string>(json, "kind", source));
  if (kind != "nlu") return fail(Code::kInvalidArgument, "{} is of kind \"{}\", expected nlu", source, kind);
  KEFU_ASSIGN(const int format, json_get<int>(json, "format", source));
  if (format != kNluFormat)
    return fail(Code::kInvalidArgument, "{} has format {}, this kefu reads {}; {}", source, format,
                kNluFormat, kTrainAgain);
  KEFU_ASSIGN(package.manifest.name, json_get<std::string>(json, "name", source));
  KEFU_ASSIGN(package.manifest.version, json_get<std::string>(json, "version", source));
  KEFU_ASSIGN(package.manifest.source_digest, json_get<std::string>(json, "source_digest", source));
  package.manifest.details = json.value("details", Json::object());
  KEFU_ASSIGN(const auto files,
              verify_files(json, folder, {"labels.json", "heads.safetensors"}, kTrainAgain));
  KEFU_ASSIGN(package.encoder, load_encoder_package(folder / "encoder"));
  KEFU_ASSIGN(package.labels, read_json(folder / "labels.json"));
  package.manifest.digest = sha256_hex(files + package.encoder.manifest.digest);
  return package;
}

std::vector<PackageId> list_packages(const fs::path& repository) {
  std::vector<PackageId> packages;
  std::error_code error;
  for (const auto& model : fs::directory_iterator(repository, error)) {
    if (!model.is_directory() || model.path().filename() == "encoders") continue;
    for (const auto& version : fs::directory_iterator(model.path(), error)) {
      const int number = parse_version(version.path().filename().string());
      if (number > 0 && version.is_directory())
        packages.push_back({model.path().filename().string(), number, version.path()});
    }
  }
  std::ranges::sort(packages, [](const auto& a, const auto& b) {
    return std::tie(a.name, a.version) < std::tie(b.name, b.version);
  });
  return packages;
}

Result<PackageId> find_package(const fs::path& repository, std::string_view name) {
  const PackageId* found = nullptr;
  std::string known;
  const auto packages = list_packages(repository);
  for (const PackageId& package : packages) {
    if (package.name == name) found = &package;
    if (known.empty() || !known.ends_with(package.name)) known += (known.empty() ? "" : ", ") + package.name;
  }
  if (found != nullptr) return *found;
  return fail(Code::kNotFound, "there is no model \"{}\" in {}; there: {}; train it with kefu train", name,
              repository.string(), known.empty() ? "none" : known);
}

Result<PackageId> publish_package(const fs::path& repository, const std::string& name,
                                  const NluPackageContent& content) {
  int version = 1;
  for (const PackageId& package : list_packages(repository)) {
    if (package.name == name) version = package.version + 1;
  }
  const fs::path target = repository / name / std::to_string(version);
  KEFU_ASSIGN(StagedFolder staged, StagedFolder::create(target));
  KEFU_CHECK(write_file(staged.path() / "labels.json", content.labels.dump(2) + "\n"));
  KEFU_CHECK(write_file(staged.path() / "heads.safetensors", content.heads));
  KEFU_CHECK(include_encoder(content.encoder, staged.path() / "encoder"));
  KEFU_ASSIGN(const Json files, list_files(staged.path(), {"labels.json", "heads.safetensors"}));
  const Json manifest{{"format", kNluFormat},
                      {"kind", "nlu"},
                      {"name", name},
                      {"version", std::to_string(version)},
                      {"source_digest", content.source_digest},
                      {"details", content.details},
                      {"files", files}};
  KEFU_CHECK(write_file(staged.path() / "manifest.json", manifest.dump(2) + "\n"));
  KEFU_CHECK(staged.publish());
  return PackageId{name, version, target};
}

}  // namespace kefu::model
