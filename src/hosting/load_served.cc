#include "hosting/load_served.h"

#include "hosting/cached_model.h"
#include "hosting/served_tensor.h"

namespace kefu::hosting {

namespace {

Result<ModelRef> load_kind(const model::PackageId& id, const ModelSettings& settings, Host& host) {
  engine::EngineOptions options = host.engine_options;
  options.streams = static_cast<int>(settings.instances.max);  // else the instances take turns
  KEFU_ASSIGN(const Json manifest, model::read_manifest(id.folder, "publish the package again"));
  const std::string source = (id.folder / "manifest.json").string();
  KEFU_ASSIGN(const auto kind, json_get<std::string>(manifest, "kind", source));
  if (kind == "nlu") {
    if (!host.languages)
      return fail(Code::kNotFound,
                  "NLU models need the file of language.model_path; run scripts/setup encoders");
    KEFU_ASSIGN(auto model, nlu::load_nlu_model(id, host.engine, options, host.languages));
    return serve_nlu(std::move(model), settings, host.nlu, host.reaper);
  }
  if (kind == "tensor") {
    KEFU_ASSIGN(const model::TensorPackage package, model::load_tensor_package(id));
    return serve_tensor(package, options, settings, host.reaper);
  }
  return fail(Code::kInvalidArgument, "{} is of kind \"{}\"; known: nlu, tensor", source, kind);
}

}  // namespace

Result<ModelRef> load_served(const model::PackageId& id, const ModelSettings& settings, Host& host) {
  KEFU_ASSIGN(ModelRef model, load_kind(id, settings, host));
  return settings.response_cache ? with_response_cache(std::move(model), host.reaper) : model;
}

}  // namespace kefu::hosting
