#include "base/version.h"

#include <iostream>

#include "cli/command.h"
#include "engine/registry.h"

namespace kefu::cli {

void add_version(CLI::App& app, Result<void>& /*outcome*/) {
  CLI::App* command = app.add_subcommand("version", "Print the version and the engines built in");
  command->callback([] {
    std::cout << "kefu " << version() << "\n";
    for (const std::string& engine : engine::engine_versions()) std::cout << "engine " << engine << "\n";
  });
}

}  // namespace kefu::cli
