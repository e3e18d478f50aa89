#pragma once
// A model's effective configuration in Triton's terms.

#include "hosting/served_model.h"

namespace kefu::hosting {

/// As the JSON of ModelConfig, defaults completed; 64-bit integers are numbers.
Json model_config(const ModelDescription& model);

}  // namespace kefu::hosting
