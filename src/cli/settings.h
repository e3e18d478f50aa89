#pragma once
// All settings of kefu.yaml and how they are read.

#include <string>
#include <vector>

#include "config/config.h"
#include "engine/engine.h"
#include "hosting/model_settings.h"
#include "serve/server.h"

namespace kefu::cli {

struct Settings {
  std::string repository = "models";                           // models.repository
  std::string default_model = "default";                       // models.default
  std::string encoder = "models/encoders/e5-small";            // models.encoder, for training
  std::string engine = "openvino";                             // engine.name
  engine::EngineOptions engine_options;                        // engine.threads, engine.precision
  std::string language_model = "models/language/lid.176.ftz";  // language.model_path
  std::string load = "all";                                    // models.load
  hosting::ModelSettings batching;  // batching.*; what a model's config.json may change
  serve::ServerSettings server;     // http.*, grpc.*, admin.port, shutdown.delay_ms
  std::string log_level = "info";   // log.level
  std::string log_format = "text";  // log.format
};

/// Where a command's settings come from: `file` ("": kefu.yaml if it exists) and `--set` assignments.
struct SettingsSource {
  std::string file;
  std::vector<std::string> assignments;
};

Result<Settings> load_settings(const SettingsSource& source);

}  // namespace kefu::cli
