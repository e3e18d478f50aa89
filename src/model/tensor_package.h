#pragma once
// A package of any model of tensors: manifest.json and the plan, model.onnx unless the manifest says
// otherwise.

#include <filesystem>
#include <string>

#include "model/repository.h"

namespace kefu::model {

struct TensorPackage {
  PackageId id;
  std::string digest;  // over all files
  std::string engine;  // that runs the plan
  std::filesystem::path plan;
};

/// Reads and verifies a package. kNotFound, kDataLoss, kInvalidArgument.
Result<TensorPackage> load_tensor_package(const PackageId& id);

/// Publishes a copy of `plan` as the next version of `name`, by rename.
Result<PackageId> publish_tensor_package(const std::filesystem::path& repository, const std::string& name,
                                         const std::string& engine, const std::filesystem::path& plan);

}  // namespace kefu::model
