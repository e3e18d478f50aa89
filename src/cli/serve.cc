#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include <malloc.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/load_model.h"
#include "serve/http_server.h"

namespace kefu::cli {
namespace {

/// Every model of the repository, the default first.
Result<std::vector<std::shared_ptr<const nlu::NluModel>>> load_models(const Settings& settings) {
  KEFU_ASSIGN(const model::PackageId preferred,
              model::find_package(settings.repository, settings.default_model));
  std::vector<std::string> names{preferred.name};
  for (const model::PackageId& package : model::list_packages(settings.repository)) {
    if (std::ranges::find(names, package.name) == names.end()) names.push_back(package.name);
  }
  std::vector<std::shared_ptr<const nlu::NluModel>> models;
  for (const std::string& name : names) {
    KEFU_ASSIGN(auto model, load_model(settings, name));
    spdlog::info("model {} version {}: {} intents, {} slot types", name, model->manifest().version,
                 model->heads().intents.size(), model->heads().slot_types.size());
    models.push_back(std::move(model));
  }
  return models;
}

/// Buffers of a run go back to the system when they are freed. By default glibc would raise the threshold
/// with their size and keep them in its arenas, which then grow for hours.
constexpr int kMappedBytes = 1 << 20;

Result<void> serve_until_signal(const SettingsSource& source) {
  KEFU_ASSIGN(Settings settings, load_settings(source));
  settings.engine_options.streams = static_cast<int>(settings.batching.instances);  // else they take turns
  configure_log(settings.log_level, settings.log_format);
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  KEFU_ASSIGN(auto models, load_models(settings));
  KEFU_ASSIGN(const auto runtime, nlu::NluRuntime::start(std::move(models), settings.batching));
  KEFU_ASSIGN(const auto server, serve::start_http_server(settings.http, *runtime));
  malloc_trim(0);  // loading left freed memory with the allocator
  std::cout << fmt::format("Kefu is ready: http://{}:{}/", settings.http.host, server->port()) << std::endl;
  server->run_until_signal();
  return {};
}

}  // namespace

void add_serve(CLI::App& app, Result<void>& outcome) {
  CLI::App* command = app.add_subcommand("serve", "Answer requests over HTTP until SIGTERM or SIGINT");
  auto source = add_settings_options(*command);
  command->callback([source, &outcome] { outcome = serve_until_signal(*source); });
}

}  // namespace kefu::cli
