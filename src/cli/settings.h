#pragma once
// All settings of kefu.yaml and how they are read.

#include <string>
#include <vector>

#include "config/config.h"
#include "engine/engine.h"
#include "hosting/model_settings.h"
#include "serve/server.h"

namespace kefu::cli {

/// Section `batching`: how models are served whose config.json says nothing else.
struct BatchingSettings {
  std::size_t max_batch = 0;            // rows a run; 0: what suits the kind of the model
  std::size_t max_batch_tokens = 4096;  // of a run, padding included
  std::size_t max_queue = 1024;         // requests of a model that wait
  int window_ms = 0;                    // longest wait of a request for company
  std::size_t instances = 1;            // runs of a model at once, at least …
  std::size_t max_instances = 1;        // … and at most

  hosting::ModelSettings for_models() const;
};

struct Settings {
  std::string repository = "models";                           // models.repository
  std::string default_model = "default";                       // models.default
  std::string load = "all";                                    // models.load
  std::string state;                                           // models.state
  int watch_ms = 0;                                            // models.watch_ms
  std::string encoder = "models/encoders/e5-small";            // models.encoder, for training
  std::string engine = "openvino";                             // engine.name
  engine::EngineOptions engine_options;                        // engine.threads, engine.precision
  std::string language_model = "models/language/lid.176.ftz";  // language.model_path
  BatchingSettings batching;                                   // batching.*
  hosting::AdmissionSettings admission;                        // admission.*
  std::string credentials;                                     // auth.credentials
  tracing::TracingSettings tracing;                            // tracing.*
  serve::ServerSettings server;     // http.*, grpc.*, metrics.*, admin.port, shutdown.delay_ms
  std::string log_level = "info";   // log.level
  std::string log_format = "text";  // log.format
};

/// Where a command's settings come from: `file` ("": kefu.yaml if it exists), over it the assignments of a
/// preset ("": none), over those the ones of `--set`.
struct SettingsSource {
  std::string file;
  std::string preset;
  std::vector<std::string> assignments;
};

/// kInvalidArgument names the setting at fault, where it stands, and the remedy.
Result<Settings> load_settings(const SettingsSource& source);

}  // namespace kefu::cli
