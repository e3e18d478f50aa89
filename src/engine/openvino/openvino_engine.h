#pragma once
// The CPU engine: ONNX by OpenVINO (https://docs.openvino.ai).

#include <filesystem>
#include <memory>

#include "engine/engine.h"

namespace kefu::engine {

Result<std::unique_ptr<Engine>> load_openvino_engine(const std::filesystem::path& onnx,
                                                     const EngineOptions& options);

std::string openvino_version();

}  // namespace kefu::engine
