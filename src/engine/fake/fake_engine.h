#pragma once
// An engine without a model, for tests of everything around an engine: fixed time, injected errors,
// outputs that can be computed by hand.
//
// Its plan is a JSON file: {"hidden": 4, "delay_us": 0, "fail_every": 0}. Inputs and output are those of an
// encoder body; last_hidden_state = inputs_embeds where attention_mask is 1, else 0. Every fail_every-th
// run of the engine fails with kInternal.

#include <filesystem>
#include <memory>

#include "engine/engine.h"

namespace kefu::engine {

Result<std::unique_ptr<Engine>> load_fake_engine(const std::filesystem::path& plan,
                                                 const EngineOptions& options);

std::string fake_version();

}  // namespace kefu::engine
