#include <iostream>
#include <memory>

#include "cli/admin_client.h"
#include "cli/command.h"

namespace kefu::cli {
namespace {

/// What the commands take.
struct ReleaseOptions {
  AdminServer server;
  std::string model;
  int version = 0;
  std::string reason;
  std::vector<double> steps{5};
  int step_seconds = 60;
  int bake_seconds = 600;
  bool advances = false;
  double shadow_percent = 0;
  bool as_json = false;
};

std::string percent_list(const Json& steps) {
  std::string text;
  for (const Json& step : steps) text += fmt::format("{}{} %", text.empty() ? "" : ", ", step.get<double>());
  return text;
}

void print_release(const Json& release) {
  std::cout << fmt::format("{}  {}: version {} -> {}  phase {}", release.value("id", ""),
                           release.value("model", ""), release.value("stable", 0), release.value("canary", 0),
                           release.value("phase", ""));
  const Json steps = release.value("steps", Json::array());
  const auto step = release.value("step", std::size_t{0});
  if (release.value("phase", "") == "canary" && step < steps.size())
    std::cout << fmt::format("  {} % of {}", steps[step].get<double>(), percent_list(steps));
  std::cout << "\n  " << release.value("reason", "") << "\n";
  if (release.contains("canary_replies")) {
    std::cout << fmt::format("  replies: canary {}, stable {}\n",
                             release["canary_replies"].get<std::uint64_t>(),
                             release["stable_replies"].get<std::uint64_t>());
  }
  if (const Json shadow = release.value("shadow", Json::object());
      shadow.value("agreed", 0) + shadow.value("differed", 0) + shadow.value("failed", 0) > 0) {
    std::cout << fmt::format("  shadow: agreed {}, differed {}, failed {}\n", shadow.value("agreed", 0),
                             shadow.value("differed", 0), shadow.value("failed", 0));
  }
  for (const Json& guard : release.value("guards", Json::array())) {
    std::cout << fmt::format(
        "  guard {:8} last second {:.2f} %, allowed {:.2f} %; evidence of harm {:.3g}, of none {:.3g}\n",
        guard.value("guard", ""), guard.value("canary_percent", 0.0), guard.value("allowed_percent", 0.0),
        guard.value("alarm", 0.0), guard.value("assurance", 0.0));
  }
}

Result<void> print(const ReleaseOptions& options, const Result<Json>& answer) {
  KEFU_CHECK(answer);
  if (options.as_json) {
    std::cout << answer->dump(2) << "\n";
    return {};
  }
  if (!answer->contains("releases")) {
    print_release(*answer);
    return {};
  }
  for (const Json& release : (*answer)["releases"]) print_release(release);
  if ((*answer)["releases"].empty()) std::cout << "no release so far\n";
  return {};
}

std::string path_of(const ReleaseOptions& options, const std::string& order) {
  return "/kefu/v1/releases/" + options.model + (order.empty() ? "" : "/" + order);
}

Result<void> send(const ReleaseOptions& options, const std::string& order, Json body) {
  if (!options.reason.empty()) body["reason"] = options.reason;
  return print(options, ask_server(options.server, "POST", path_of(options, order), body));
}

Result<void> show_status(const ReleaseOptions& options) {
  const std::string path = options.model.empty() ? "/kefu/v1/releases" : path_of(options, "");
  return print(options, ask_server(options.server, "GET", path, nullptr));
}

Json plan_body(const ReleaseOptions& options) {
  return {{"steps", options.steps},
          {"step_seconds", options.step_seconds},
          {"bake_seconds", options.bake_seconds},
          {"advances", options.advances},
          {"shadow_percent", options.shadow_percent}};
}

using OptionsPtr = std::shared_ptr<ReleaseOptions>;

void add_server_options(CLI::App& command, const OptionsPtr& options) {
  command.add_option("--server", options->server.address, "address of the port that takes orders")
      ->capture_default_str();
  command.add_option("--token-file", options->server.token_file, "file with the key or token to send");
  add_trust_options(command, options->server.trust);
  command.add_flag("--json", options->as_json, "print the answer as JSON");
}

/// A sub-command about a model.
CLI::App* add_order(CLI::App& app, const OptionsPtr& options, const std::string& name,
                    const std::string& help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("MODEL", options->model, "name of the model")->required();
  add_server_options(*command, options);
  return command;
}

void add_stage(CLI::App& app, const OptionsPtr& options, Result<void>& outcome) {
  CLI::App* stage =
      add_order(app, options, "stage", "Bring a version into service beside the one that serves");
  stage->add_option("VERSION", options->version, "version in the repository")->required();
  stage->callback(
      [options, &outcome] { outcome = send(*options, "stage", {{"version", options->version}}); });
}

void add_canary(CLI::App& app, const OptionsPtr& options, Result<void>& outcome) {
  CLI::App* canary = add_order(app, options, "canary", "Send it a share of the requests, and watch");
  canary->add_option("--steps", options->steps, "percent of the requests, step by step: 1,5,25")
      ->delimiter(',')
      ->capture_default_str();
  canary->add_option("--step-seconds", options->step_seconds, "least time of a step")->capture_default_str();
  canary->add_option("--bake-seconds", options->bake_seconds, "how long the old version is kept at the end")
      ->capture_default_str();
  canary->add_flag("--auto", options->advances, "go from step to step, and promote, once there is evidence");
  canary->add_option("--shadow", options->shadow_percent, "percent of the other requests it answers unheard");
  canary->callback([options, &outcome] { outcome = send(*options, "canary", plan_body(*options)); });
}

void add_shadow(CLI::App& app, const OptionsPtr& options, Result<void>& outcome) {
  CLI::App* shadow = add_order(app, options, "shadow", "Let it answer requests too, unheard, and compare");
  const auto percent = std::make_shared<double>(100);
  shadow->add_option("--percent", *percent, "of the requests")->capture_default_str();
  shadow->callback(
      [options, percent, &outcome] { outcome = send(*options, "shadow", {{"shadow_percent", *percent}}); });
}

void add_simple(CLI::App& app, const OptionsPtr& options, Result<void>& outcome, const std::string& name,
                const std::string& help) {
  CLI::App* command = add_order(app, options, name, help);
  command->add_option("--reason", options->reason, "for the log");
  command->callback([options, &outcome, name] { outcome = send(*options, name, Json::object()); });
}

}  // namespace

void add_release(CLI::App& app, Result<void>& outcome) {
  CLI::App* release = app.add_subcommand("release", "Change the version of a model step by step");
  release->require_subcommand(1);
  const auto options = std::make_shared<ReleaseOptions>();
  add_stage(*release, options, outcome);
  add_shadow(*release, options, outcome);
  add_canary(*release, options, outcome);
  add_simple(*release, options, outcome, "hold", "Stay at the present step");
  add_simple(*release, options, outcome, "promote", "Send all requests to the new version");
  add_simple(*release, options, outcome, "rollback", "Send all requests to the old version");
  CLI::App* status = app.get_subcommand("release")->add_subcommand("status", "What releases have come to");
  status->add_option("MODEL", options->model, "name of the model; all of them if absent");
  add_server_options(*status, options);
  status->callback([options, &outcome] { outcome = show_status(*options); });
}

}  // namespace kefu::cli
