#include "model/nlu_package.h"

#include "model/manifest.h"

namespace kefu::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainAgain = "train it again with kefu train";

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

Result<NluPackage> load_nlu_package(const PackageId& id) {
  const fs::path& folder = id.folder;
  const std::string source = (folder / "manifest.json").string();
  KEFU_ASSIGN(const Json json, read_manifest(folder, kTrainAgain));
  NluPackage package;
  package.folder = folder;
  KEFU_ASSIGN(const auto kind, json_get<std::string>(json, "kind", source));
  if (kind != "nlu") return fail(Code::kInvalidArgument, "{} is of kind \"{}\", expected nlu", source, kind);
  KEFU_ASSIGN(const int format, json_get<int>(json, "format", source));
  if (format != kNluFormat)
    return fail(Code::kInvalidArgument, "{} has format {}, this kefu reads {}; {}", source, format,
                kNluFormat, kTrainAgain);
  package.manifest.name = id.name;
  package.manifest.version = std::to_string(id.version);
  KEFU_ASSIGN(package.manifest.source_digest, json_get<std::string>(json, "source_digest", source));
  package.manifest.details = json.value("details", Json::object());
  KEFU_ASSIGN(const auto files,
              verify_files(json, folder, {"labels.json", "heads.safetensors"}, kTrainAgain));
  KEFU_ASSIGN(package.encoder, load_encoder_package(folder / "encoder"));
  KEFU_ASSIGN(package.labels, read_json(folder / "labels.json"));
  package.manifest.digest = sha256_hex(files + package.encoder.manifest.digest);
  return package;
}

Result<PackageId> publish_package(const fs::path& repository, const std::string& name,
                                  const NluPackageContent& content) {
  PackageId id = next_package(repository, name);
  KEFU_ASSIGN(StagedFolder staged, StagedFolder::create(id.folder));
  KEFU_CHECK(write_file(staged.path() / "labels.json", content.labels.dump(2) + "\n"));
  KEFU_CHECK(write_file(staged.path() / "heads.safetensors", content.heads));
  KEFU_CHECK(include_encoder(content.encoder, staged.path() / "encoder"));
  KEFU_ASSIGN(const Json files, list_files(staged.path(), {"labels.json", "heads.safetensors"}));
  const Json manifest{{"format", kNluFormat},
                      {"kind", "nlu"},
                      {"name", name},
                      {"version", std::to_string(id.version)},
                      {"source_digest", content.source_digest},
                      {"details", content.details},
                      {"files", files}};
  KEFU_CHECK(write_file(staged.path() / "manifest.json", manifest.dump(2) + "\n"));
  KEFU_CHECK(staged.publish());
  return id;
}

}  // namespace kefu::model
