#include "cli/cli.h"

#include <iostream>

#include "cli/command.h"

namespace kefu::cli {

std::shared_ptr<SettingsSource> add_settings_options(CLI::App& command) {
  auto source = std::make_shared<SettingsSource>();
  command.add_option("--config", source->file, "settings file; kefu.yaml if it exists");
  command.add_option("--set", source->assignments, "override a setting: section.key=value")
      ->expected(1)
      ->take_all();
  return source;
}

void add_trust_options(CLI::App& command, net::TrustSettings& trust) {
  command.add_option("--ca", trust.ca,
                     "over TLS: file with the certificates to trust instead of the machine's");
  command.add_option("--certificate", trust.certificate, "over TLS: file with the certificate to show");
  command.add_option("--key", trust.key, "over TLS: file with its private key");
}

int run(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::cerr << "kefu: this CPU has no AVX2 and FMA, which the binary was built for\n";
    return 1;
  }
  CLI::App app{"Kefu: customer-service AI that a company runs itself"};
  app.require_subcommand(1);
  Result<void> outcome;
  for (const auto& add : {add_serve, add_train, add_parse, add_evaluate, add_model, add_release, add_bench,
                          add_embed, add_version})
    add(app, outcome);
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
