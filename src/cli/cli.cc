#include "cli/cli.h"

#include <iostream>

#include "cli/command.h"

namespace kefu::cli {

int run(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::cerr << "kefu: this CPU has no AVX2 and FMA; build with -DKEFU_ARCH=x86-64-v2\n";
    return 1;
  }
  CLI::App app{"Kefu: customer-service AI that a company runs itself"};
  app.require_subcommand(1);
  Result<void> outcome;
  add_version(app, outcome);
  add_embed(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (outcome) return 0;
  std::cerr << "kefu: " << outcome.error().message << "\n";
  return 1;
}

}  // namespace kefu::cli
