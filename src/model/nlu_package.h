#pragma once
// A trained NLU package: manifest.json, labels.json, heads.safetensors and its encoder in encoder/.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/encoder_package.h"
#include "model/repository.h"

namespace kefu::model {

/// Of what heads.safetensors and labels.json hold; a package of another format has to be trained again.
constexpr int kNluFormat = 5;

struct NluManifest {
  std::string name;
  std::string version;
  std::string digest;         // over all files and the encoder
  std::string source_digest;  // of the data and settings it was trained from
  Json details;               // metrics at training, languages, counts: for people
};

struct NluPackage {
  std::filesystem::path folder;
  NluManifest manifest;
  EncoderPackage encoder;
  Json labels;

  std::filesystem::path heads() const { return folder / "heads.safetensors"; }
};

/// Reads and verifies a package, its encoder included. Name and version are those of its place.
Result<NluPackage> load_nlu_package(const PackageId& id);

/// What publish_package() writes.
struct NluPackageContent {
  Json labels;
  std::string heads;  // a tensor file
  Json details;
  std::string source_digest;
  std::filesystem::path encoder;  // folder to link or copy in
};

/// Publishes the next version of `name` by rename and returns it.
Result<PackageId> publish_package(const std::filesystem::path& repository, const std::string& name,
                                  const NluPackageContent& content);

}  // namespace kefu::model
