#pragma once
// The engines built into this binary. Adding one: a folder beside this file and one line in registry.cc.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace kefu::engine {

/// Loads a plan with the engine of that name. Blocks while it compiles. kNotFound: no such engine or
/// file; kInvalidArgument: not a plan of that engine.
Result<std::unique_ptr<Engine>> load_engine(std::string_view engine, const std::filesystem::path& plan,
                                            const EngineOptions& options);

/// The engines built in, by name.
std::vector<std::string_view> engine_names();

/// "name version" of each of them.
std::vector<std::string> engine_versions();

}  // namespace kefu::engine
