#include <algorithm>
#include <csignal>
#include <future>
#include <iostream>
#include <memory>
#include <vector>

#include <malloc.h>

#include "base/log.h"
#include "cli/allocator.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "hosting/load_served.h"
#include "hosting/model_table.h"
#include "hosting/repository_watch.h"
#include "serve/server.h"

namespace kefu::cli {
namespace {

/// The names in models.load.
Result<std::vector<std::string>> models_to_load(const Settings& settings) {
  std::vector<std::string> names;
  if (settings.load == "none") return names;
  if (settings.load == "all") {
    KEFU_CHECK(model::find_package(settings.repository, settings.default_model));
    for (const model::PackageId& package : model::list_packages(settings.repository)) {
      if (names.empty() || names.back() != package.name) names.push_back(package.name);
    }
    return names;
  }
  for (std::size_t begin = 0; begin <= settings.load.size();) {
    const std::size_t end = std::min(settings.load.find(',', begin), settings.load.size());
    names.push_back(settings.load.substr(begin, end - begin));
    KEFU_CHECK(model::find_package(settings.repository, names.back()));
    begin = end + 1;
  }
  return names;
}

/// Loads them and waits; the first error.
Result<void> load_models(hosting::ModelTable& table, const std::vector<std::string>& names) {
  table.require(names);
  std::vector<std::promise<Result<void>>> loaded(names.size());
  auto promise = loaded.begin();
  for (const std::string& name : names)
    table.load(name, nullptr, [&one = *promise++](const Result<void>& outcome) { one.set_value(outcome); });
  Result<void> outcome;
  for (auto& each : loaded) {  // all of them: they are written to
    if (const Result<void> one = each.get_future().get(); outcome && !one) outcome = one;
  }
  return outcome;
}

/// None if the file is not there: models of tensors can do without, and NLU models will say so.
Result<std::shared_ptr<const text::LanguageIdentifier>> load_languages(const Settings& settings) {
  if (!std::filesystem::exists(settings.language_model)) return nullptr;
  return text::LanguageIdentifier::load(settings.language_model);
}

std::unique_ptr<hosting::Host> make_host(const Settings& settings,
                                         std::shared_ptr<const text::LanguageIdentifier> languages) {
  auto host = std::make_unique<hosting::Host>();
  host->engine = settings.engine;
  host->engine_options = settings.engine_options;
  host->languages = std::move(languages);
  host->nlu.max_text_code_points = settings.server.http.max_text_code_points;
  return host;
}

std::filesystem::path state_file(const Settings& settings) {
  if (!settings.state.empty()) return settings.state;
  return std::filesystem::path(settings.repository) / "releases.json";
}

/// None if it is off. `seen`: what has been loaded.
Result<std::unique_ptr<hosting::RepositoryWatch>> watch_repository(const Settings& settings,
                                                                   hosting::ModelTable& models,
                                                                   const std::vector<std::string>& names,
                                                                   hosting::RepositoryView seen) {
  if (settings.watch_ms == 0) return nullptr;
  if (settings.load == "none") {
    return fail(Code::kInvalidArgument,
                "models.watch_ms watches the models of models.load, which is none; name them there, or all");
  }
  std::set<std::string> watched;
  if (settings.load != "all") watched.insert(names.begin(), names.end());
  return std::make_unique<hosting::RepositoryWatch>(models, settings.repository, std::move(seen),
                                                    std::move(watched),
                                                    std::chrono::milliseconds(settings.watch_ms));
}

/// After all that can fail, so that a failed start says one thing.
void log_start(const serve::Server& server, const hosting::ModelTable& models) {
  spdlog::info(R"("event":"listening","http_port":{},"grpc_port":{},"metrics_port":{})", server.http_port(),
               server.grpc_port(), server.metrics_port());
  for (const hosting::ModelRef& model : models.served()) {
    spdlog::info(R"("event":"loaded","model":"{}","version":"{}","platform":"{}")",
                 model->description().name(), model->description().version(),
                 model->description().metadata.platform);
  }
}

/// The one line on the standard output.
void say_ready(const serve::ServerSettings& settings, const serve::Server& server) {
  const std::string_view s = settings.tls.enabled() ? "s" : "";
  std::cout << fmt::format("Kefu is ready: http{}://{}:{}/", s, settings.http.host, server.http_port());
  if (server.grpc_port() > 0)
    std::cout << fmt::format(" grpc{}://{}:{}", s, settings.grpc.host, server.grpc_port());
  if (server.metrics_port() > 0)
    std::cout << fmt::format(" metrics http{}://{}:{}/metrics", s, settings.http.host, server.metrics_port());
  std::cout << std::endl;
}

Result<void> serve_until_signal(const SettingsSource& source) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  configure_log(settings.log_level, settings.log_format);
  tune_allocator();
  std::signal(SIGPIPE, SIG_IGN);  // a reader of the log that goes must not end the server
  KEFU_ASSIGN(const auto names, models_to_load(settings));
  KEFU_ASSIGN(auto languages, load_languages(settings));
  std::unique_ptr<tracing::Exporter> exporter;
  if (!settings.tracing.otlp_endpoint.empty()) {
    KEFU_ASSIGN(exporter, tracing::Exporter::start(settings.tracing));
  }
  hosting::Entrance entrance(settings.admission, exporter.get());  // outlives the models, which hold visits
  const auto host = make_host(settings, std::move(languages));
  hosting::ModelTable models(settings.repository, settings.batching.for_models(),
                             [&host](const model::PackageId& id, const hosting::ModelSettings& how) {
                               return hosting::load_served(id, how, *host);
                             });
  models.set_default(settings.default_model);
  KEFU_ASSIGN(const auto releases, release::Releases::open(models, state_file(settings)));
  std::shared_ptr<const auth::Authenticator> authenticator;
  if (!settings.credentials.empty()) {
    KEFU_ASSIGN(authenticator, auth::Authenticator::load(settings.credentials));
  }
  auth::Gate gate(std::move(authenticator));
  KEFU_ASSIGN(const auto server, serve::start_server(settings.server, models, entrance, *releases, gate));
  hosting::RepositoryView seen = hosting::look_at(settings.repository);
  KEFU_CHECK(load_models(models, names));
  server->catch_signals();
  KEFU_ASSIGN(const auto watch, watch_repository(settings, models, names, std::move(seen)));
  releases->start();
  log_start(*server, models);
  malloc_trim(0);  // loading left freed memory with the allocator
  say_ready(settings.server, *server);
  return server->run_until_signal();
}

}  // namespace

void add_serve(CLI::App& app, Result<void>& outcome) {
  CLI::App* command =
      app.add_subcommand("serve", "Answer requests over HTTP and gRPC until SIGTERM or SIGINT");
  auto source = add_settings_options(*command);
  command->add_option("--preset", source->preset,
                      "triton: ports 8000, 8001, 8002, and orders beside inference, on this machine only");
  command->callback([source, &outcome] { outcome = serve_until_signal(*source); });
}

}  // namespace kefu::cli
