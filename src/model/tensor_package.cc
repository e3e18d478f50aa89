#include "model/tensor_package.h"

#include "base/file.h"
#include "model/manifest.h"

namespace kefu::model {
namespace {

namespace fs = std::filesystem;

constexpr int kTensorFormat = 1;
constexpr const char* kImportAgain = "import it again with kefu model import";

}  // namespace

Result<TensorPackage> load_tensor_package(const PackageId& id) {
  const std::string source = (id.folder / "manifest.json").string();
  KEFU_ASSIGN(const Json json, read_manifest(id.folder, kImportAgain));
  KEFU_ASSIGN(const int format, json_get<int>(json, "format", source));
  if (format != kTensorFormat) {
    return fail(Code::kInvalidArgument, "{} has format {}, this kefu reads {}; {}", source, format,
                kTensorFormat, kImportAgain);
  }
  TensorPackage package;
  package.id = id;
  KEFU_ASSIGN(package.engine, json_get<std::string>(json, "engine", source));
  KEFU_ASSIGN(const auto plan, json_get<std::string>(json, "plan", source));
  KEFU_ASSIGN(package.digest, verify_files(json, id.folder, {plan}, kImportAgain));
  package.plan = id.folder / plan;
  return package;
}

Result<PackageId> publish_tensor_package(const fs::path& repository, const std::string& name,
                                         const std::string& engine, const fs::path& plan) {
  KEFU_CHECK(check_model_name(name));
  PackageId id = next_package(repository, name);
  const std::string file = "model" + plan.extension().string();
  KEFU_ASSIGN(StagedFolder staged, StagedFolder::create(id.folder));
  std::error_code error;
  fs::copy_file(plan, staged.path() / file, error);
  if (error) {
    return fail(Code::kNotFound, "cannot copy {} into the repository: {}", plan.string(), error.message());
  }
  KEFU_ASSIGN(const Json files, list_files(staged.path(), {file}));
  const Json manifest{
      {"format", kTensorFormat}, {"kind", "tensor"}, {"name", name},  {"version", std::to_string(id.version)},
      {"engine", engine},        {"plan", file},     {"files", files}};
  KEFU_CHECK(write_file(staged.path() / "manifest.json", manifest.dump(2) + "\n"));
  KEFU_CHECK(staged.publish());
  return id;
}

}  // namespace kefu::model
