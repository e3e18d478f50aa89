#pragma once
// A model before which replies are kept.

#include "hosting/reaper.h"
#include "hosting/served_model.h"

namespace kefu::hosting {

/// Answers equal requests of one tenant from replies that the model gave within the limits of its settings,
/// and equal ones that come at once by one run. A request with the parameter kefu_cache false goes to the
/// model. What is equal: inputs, their types and shapes, and the outputs asked for; of texts also the
/// language given. Replies are never shared between versions.
ModelRef with_response_cache(ModelRef model, Reaper& reaper);

}  // namespace kefu::hosting
