#pragma once
// Any model of tensors in service.

#include "hosting/reaper.h"
#include "hosting/served_model.h"
#include "model/tensor_package.h"
#include "tensor/tensor_model.h"

namespace kefu::hosting {

/// Blocks while it warms the instances. kInvalidArgument: settings that contradict each other or the plan.
Result<ModelRef> serve_tensor(const model::TensorPackage& package, const engine::EngineOptions& options,
                              ModelSettings settings, Reaper& reaper);

}  // namespace kefu::hosting
