#pragma once
// An engine without a model, for tests of everything around an engine: fixed time, injected errors,
// outputs that can be computed by hand.
//
// Its plan is a JSON file. Of an encoder's body: {"hidden": 4}. Of a tensor model:
//   {"operation": "add_sub", "inputs": [{"name": "A", "datatype": "INT32", "shape": [-1, 16]}, …],
//    "outputs": […]}
// Either may have "delay_us" (of a run), "load_ms" (of loading) and "fail_every" (every so many-th run of the
// engine fails with kInternal). For the operations see fake_operation.h.

#include <filesystem>
#include <memory>

#include "engine/engine.h"

namespace kefu::engine {

Result<std::unique_ptr<Engine>> load_fake_engine(const std::filesystem::path& plan,
                                                 const EngineOptions& options);

std::string fake_version();

}  // namespace kefu::engine
