#include "model/encoder_package.h"

#include "model/manifest.h"

namespace kefu::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConvertAgain = "convert it again with scripts/convert-encoder";

Result<EncoderManifest> read_manifest(const Json& json, const std::string& source) {
  EncoderManifest manifest;
  KEFU_ASSIGN(const auto kind, json_get<std::string>(json, "kind", source));
  if (kind != "encoder")
    return fail(Code::kInvalidArgument, "{} is of kind \"{}\", expected an encoder", source, kind);
  KEFU_ASSIGN(manifest.name, json_get<std::string>(json, "name", source));
  KEFU_ASSIGN(manifest.pooling, json_get<std::string>(json, "pooling", source));
  KEFU_ASSIGN(manifest.prefix, json_get<std::string>(json, "prefix", source));
  KEFU_ASSIGN(manifest.hidden, json_get<std::size_t>(json, "hidden", source));
  KEFU_ASSIGN(manifest.max_tokens, json_get<std::size_t>(json, "max_tokens", source));
  KEFU_ASSIGN(const auto table, json_get<Json>(json, "embeddings", source));
  KEFU_ASSIGN(manifest.table_format, json_get<std::string>(table, "format", source));
  KEFU_ASSIGN(manifest.table_rows, json_get<std::size_t>(table, "rows", source));
  return manifest;
}

}  // namespace

Result<EncoderPackage> load_encoder_package(const fs::path& folder) {
  const std::string source = (folder / "manifest.json").string();
  if (!fs::exists(source))
    return fail(Code::kNotFound, "there is no encoder in {} (no manifest.json); {}", folder.string(),
                kConvertAgain);
  EncoderPackage package;
  package.folder = folder;
  KEFU_ASSIGN(const Json json, read_json(source));
  KEFU_ASSIGN(package.manifest, read_manifest(json, source));
  KEFU_ASSIGN(package.manifest.digest,
              verify_files(json, folder, {"body.onnx", "embeddings.bin", "tokenizer.json"}, kConvertAgain));
  KEFU_ASSIGN(package.tokenizer, text::load_tokenizer(folder / "tokenizer.json"));
  if (package.tokenizer->vocabulary_size() > package.manifest.table_rows) {
    return fail(Code::kInvalidArgument,
                "{} has {} pieces but the embedding table {} rows: they are of different encoders; {}",
                (folder / "tokenizer.json").string(), package.tokenizer->vocabulary_size(),
                package.manifest.table_rows, kConvertAgain);
  }
  return package;
}

}  // namespace kefu::model
