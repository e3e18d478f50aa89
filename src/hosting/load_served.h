#pragma once
// From a package in the repository to a model in service.

#include <string>

#include "hosting/served_nlu.h"
#include "model/repository.h"

namespace kefu::hosting {

/// What the models of a process share. Outlives them: its end waits for theirs.
struct Host {
  std::string engine = "openvino";  // of NLU models; tensor packages name their own
  engine::EngineOptions engine_options;
  std::shared_ptr<const text::LanguageIdentifier> languages;  // none: only models of tensors can be loaded
  NluHost nlu;
  Reaper reaper;
};

/// Reads, verifies and warms a package of any kind; blocks.
Result<ModelRef> load_served(const model::PackageId& id, const ModelSettings& settings, Host& host);

}  // namespace kefu::hosting
