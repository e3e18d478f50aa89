#include "cli/settings.h"

#include <algorithm>
#include <filesystem>

namespace kefu::cli {
namespace {

constexpr int kLongest = 3'600'000;  // milliseconds; of any timeout

Result<void> bind_http(config::Config& config, serve::HttpSettings& http) {
  KEFU_CHECK(config.bind("http.host", http.host));
  KEFU_CHECK(config.bind("http.port", http.port, 0, 65535));
  KEFU_CHECK(config.bind("http.threads", http.threads, 1, 256));
  KEFU_CHECK(config.bind("http.header_timeout_ms", http.header_timeout_ms, 1, kLongest));
  KEFU_CHECK(config.bind("http.body_timeout_ms", http.body_timeout_ms, 1, kLongest));
  KEFU_CHECK(config.bind("http.idle_timeout_ms", http.idle_timeout_ms, 1, kLongest));
  KEFU_CHECK(config.bind("http.drain_ms", http.drain_ms, 0, kLongest));
  KEFU_CHECK(config.bind("http.admin", http.admin));
  KEFU_CHECK(config.bind("http.max_connections", http.max_connections, 1, 1'000'000));
  KEFU_CHECK(config.bind("http.max_body_bytes", http.max_body_bytes, 1, std::size_t{1} << 30));
  return config.bind("http.max_text_code_points", http.max_text_code_points, 1, 1'000'000);
}

Result<void> bind_grpc(config::Config& config, serve::GrpcSettings& grpc) {
  KEFU_CHECK(config.bind("grpc.enabled", grpc.enabled));
  KEFU_CHECK(config.bind("grpc.host", grpc.host));
  KEFU_CHECK(config.bind("grpc.port", grpc.port, 0, 65535));
  KEFU_CHECK(config.bind("grpc.admin", grpc.admin));
  KEFU_CHECK(config.bind("grpc.memory_bytes", grpc.memory_bytes, std::size_t{1} << 20, std::size_t{1} << 40));
  return config.bind("grpc.max_message_bytes", grpc.max_message_bytes, 1, std::size_t{1} << 30);
}

Result<void> bind_batching(config::Config& config, BatchingSettings& batching) {
  KEFU_CHECK(config.bind("batching.max_batch", batching.max_batch, 0, 1024));
  KEFU_CHECK(config.bind("batching.max_batch_tokens", batching.max_batch_tokens, 512, 1'000'000));
  KEFU_CHECK(config.bind("batching.max_queue", batching.max_queue, 1, 1'000'000));
  KEFU_CHECK(config.bind("batching.window_ms", batching.window_ms, 0, 1000));
  KEFU_CHECK(config.bind("batching.instances", batching.instances, 1, 256));
  return config.bind("batching.max_instances", batching.max_instances, 1, 256);
}

Result<void> bind_admission(config::Config& config, hosting::AdmissionSettings& admission) {
  KEFU_CHECK(config.bind("admission.requests", admission.requests, 1, 1'000'000));
  KEFU_CHECK(config.bind("admission.tokens", admission.tokens, 1, std::size_t{1} << 40));
  return config.bind("admission.bytes", admission.bytes, 1, std::size_t{1} << 40);
}

/// Triton's name and ports, with the repository's routes beside inference as its clients expect them.
constexpr std::string_view kTritonPreset[] = {"server.name=triton", "http.port=8000",  "grpc.port=8001",
                                              "metrics.port=8002",  "http.admin=true", "grpc.admin=true"};

/// Orders from everybody are for a machine of one's own.
Result<void> check_loopback(const std::string& setting, const std::string& host) {
  if (host == "127.0.0.1" || host == "::1" || host == "localhost") return {};
  return fail(
      Code::kInvalidArgument,
      "--preset triton lets whoever reaches the ports load and unload models, so {} must be 127.0.0.1, "
      "not \"{}\"; for other addresses set the ports yourself, and admin.port for orders",
      setting, host);
}

}  // namespace

hosting::ModelSettings BatchingSettings::for_models() const {
  hosting::ModelSettings settings;
  if (max_batch > 0) settings.max_batch_size = max_batch;
  settings.max_batch_tokens = max_batch_tokens;
  settings.levels.front().max_requests = max_queue;
  settings.max_queue_delay = std::chrono::milliseconds(window_ms);
  settings.instances.min = instances;
  settings.instances.max = std::max(instances, max_instances);
  return settings;
}

Result<Settings> load_settings(const SettingsSource& source) {
  config::Config config;
  const std::string file = source.file.empty() ? "kefu.yaml" : source.file;
  if (!source.file.empty() || std::filesystem::exists(file)) {
    KEFU_ASSIGN(config, config::Config::load(file));
  }
  const bool is_triton = source.preset == "triton";
  if (!is_triton && !source.preset.empty())
    return fail(Code::kInvalidArgument, "there is no preset \"{}\"; known: triton", source.preset);
  if (is_triton) {
    for (const std::string_view assignment : kTritonPreset) KEFU_CHECK(config.set(std::string(assignment)));
  }
  for (const std::string& assignment : source.assignments) KEFU_CHECK(config.set(assignment));
  Settings settings;
  KEFU_CHECK(config.bind("models.repository", settings.repository));
  KEFU_CHECK(config.bind("models.default", settings.default_model));
  KEFU_CHECK(config.bind("models.encoder", settings.encoder));
  KEFU_CHECK(config.bind("engine.name", settings.engine));
  KEFU_CHECK(config.bind("engine.threads", settings.engine_options.threads, 0, 1024));
  KEFU_CHECK(config.bind("engine.precision", settings.engine_options.precision));
  KEFU_CHECK(config.bind("language.model_path", settings.language_model));
  KEFU_CHECK(config.bind("models.load", settings.load));
  KEFU_CHECK(config.bind("models.state", settings.state));
  KEFU_CHECK(config.bind("models.watch_ms", settings.watch_ms, 0, kLongest));
  KEFU_CHECK(bind_batching(config, settings.batching));
  KEFU_CHECK(config.bind("auth.credentials", settings.credentials));
  KEFU_CHECK(config.bind("tracing.otlp_endpoint", settings.tracing.otlp_endpoint));
  KEFU_CHECK(config.bind("tracing.service_name", settings.tracing.service_name));
  KEFU_CHECK(config.bind("tracing.sample_percent", settings.tracing.sample_percent, 0, 100));
  KEFU_CHECK(config.bind("server.name", settings.server.name));
  KEFU_CHECK(bind_http(config, settings.server.http));
  KEFU_CHECK(bind_grpc(config, settings.server.grpc));
  KEFU_CHECK(config.bind("tls.certificate", settings.server.tls.certificate));
  KEFU_CHECK(config.bind("tls.key", settings.server.tls.key));
  KEFU_CHECK(config.bind("tls.client_ca", settings.server.tls.client_ca));
  KEFU_CHECK(bind_admission(config, settings.admission));
  KEFU_CHECK(config.bind("metrics.enabled", settings.server.metrics_enabled));
  KEFU_CHECK(config.bind("metrics.port", settings.server.metrics_port, 0, 65535));
  KEFU_CHECK(config.bind("admin.port", settings.server.admin_port, 0, 65535));
  KEFU_CHECK(config.bind("shutdown.delay_ms", settings.server.shutdown_delay_ms, 0, kLongest));
  KEFU_CHECK(config.bind("log.level", settings.log_level, {"debug", "info", "warn", "error", "off"}));
  KEFU_CHECK(config.bind("log.format", settings.log_format, {"text", "json"}));
  KEFU_CHECK(config.finish());
  if (is_triton) {
    KEFU_CHECK(check_loopback("http.host", settings.server.http.host));
    KEFU_CHECK(check_loopback("grpc.host", settings.server.grpc.host));
  }
  return settings;
}

}  // namespace kefu::cli
