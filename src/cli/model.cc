#include <iostream>

#include "cli/command.h"
#include "engine/registry.h"
#include "model/nlu_package.h"
#include "model/tensor_package.h"

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
  KEFU_ASSIGN(const model::NluPackage package, model::load_nlu_package(id));
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

/// Over all files of a package, which are found to be whole.
Result<std::string> digest_of(const model::PackageId& id) {
  KEFU_ASSIGN(const Json manifest, model::read_manifest(id.folder, "publish the package again"));
  if (manifest.value("kind", "") == "tensor") {
    KEFU_ASSIGN(const model::TensorPackage package, model::load_tensor_package(id));
    return package.digest;
  }
  KEFU_ASSIGN(const model::NluPackage package, model::load_nlu_package(id));
  return package.manifest.digest;
}

Result<void> verify(const SettingsSource& source, const std::string& name) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  for (const model::PackageId& id : model::list_packages(settings.repository)) {
    if (!name.empty() && id.name != name) continue;
    KEFU_ASSIGN(const std::string digest, digest_of(id));
    std::cout << fmt::format("{} {}: whole, digest {}\n", id.name, id.version, digest.substr(0, 12));
  }
  return {};
}

/// What `kefu model import` takes.
struct Import {
  std::string name;
  std::string plan;
  std::string engine = "openvino";
};

Result<void> import(const SettingsSource& source, const Import& given) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  KEFU_CHECK(engine::load_engine(given.engine, given.plan, settings.engine_options));
  KEFU_ASSIGN(const model::PackageId id,
              model::publish_tensor_package(settings.repository, given.name, given.engine, given.plan));
  std::cout << fmt::format("published {} version {} in {}\n", id.name, id.version, id.folder.string());
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

  auto given = std::make_shared<Import>();
  CLI::App* imports =
      command->add_subcommand("import", "Publish an ONNX file as the next version of a model");
  imports->add_option("name", given->name, "model name")->required();
  imports->add_option("file", given->plan, "the ONNX file, or a plan of --engine")->required();
  imports->add_option("--engine", given->engine, "that runs it")->capture_default_str();
  auto import_source = add_settings_options(*imports);
  imports->callback([=, &outcome] { outcome = import(*import_source, *given); });

  CLI::App* verifies = command->add_subcommand("verify", "Check every file against its manifest");
  verifies->add_option("name", *name, "model name; all if not given");
  auto verify_source = add_settings_options(*verifies);
  verifies->callback([=, &outcome] { outcome = verify(*verify_source, *name); });
}

}  // namespace kefu::cli
