#include <iostream>

#include "cli/command.h"
#include "model/nlu_package.h"

namespace kefu::cli {
namespace {

Result<void> list(const SettingsSource& source) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  for (const model::PackageId& package : model::list_packages(settings.repository)) {
    std::cout << package.name << "\t" << package.version << "\t" << package.folder.string() << "\n";
  }
  return {};
}

Result<void> show(const SettingsSource& source, const std::string& name) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  KEFU_ASSIGN(const model::PackageId id, model::find_package(settings.repository, name));
  KEFU_ASSIGN(const model::NluPackage package, model::load_nlu_package(id.folder));
  const Json out{{"name", package.manifest.name},
                 {"version", package.manifest.version},
                 {"digest", package.manifest.digest},
                 {"source_digest", package.manifest.source_digest},
                 {"encoder", package.encoder.manifest.name},
                 {"details", package.manifest.details},
                 {"labels", package.labels}};
  std::cout << out.dump(2) << "\n";
  return {};
}

Result<void> verify(const SettingsSource& source, const std::string& name) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  for (const model::PackageId& id : model::list_packages(settings.repository)) {
    if (!name.empty() && id.name != name) continue;
    KEFU_ASSIGN(const model::NluPackage package, model::load_nlu_package(id.folder));
    std::cout << fmt::format("{} {}: whole, digest {}\n", id.name, id.version,
                             package.manifest.digest.substr(0, 12));
  }
  return {};
}

}  // namespace

void add_model(CLI::App& app, Result<void>& outcome) {
  CLI::App* command = app.add_subcommand("model", "List, show and verify the models of the repository");
  command->require_subcommand(1);
  CLI::App* lists = command->add_subcommand("list", "Names, versions and folders");
  auto list_source = add_settings_options(*lists);
  lists->callback([=, &outcome] { outcome = list(*list_source); });

  auto name = std::make_shared<std::string>();
  CLI::App* shows =
      command->add_subcommand("show", "Manifest, figures and labels of the newest version, as JSON");
  shows->add_option("name", *name, "model name")->required();
  auto show_source = add_settings_options(*shows);
  shows->callback([=, &outcome] { outcome = show(*show_source, *name); });

  CLI::App* verifies = command->add_subcommand("verify", "Check every file against its manifest");
  verifies->add_option("name", *name, "model name; all if not given");
  auto verify_source = add_settings_options(*verifies);
  verifies->callback([=, &outcome] { outcome = verify(*verify_source, *name); });
}

}  // namespace kefu::cli
