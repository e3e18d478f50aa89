#pragma once
// What a command registers: its options on a CLI11 sub-command and the function to run.

#include <memory>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "cli/settings.h"
#include "net/tls_settings.h"

namespace kefu::cli {

/// Each adds its sub-command to `app`; the callback stores into `outcome` what happened.
void add_serve(CLI::App& app, Result<void>& outcome);
void add_train(CLI::App& app, Result<void>& outcome);
void add_parse(CLI::App& app, Result<void>& outcome);
void add_evaluate(CLI::App& app, Result<void>& outcome);
void add_model(CLI::App& app, Result<void>& outcome);
void add_embed(CLI::App& app, Result<void>& outcome);
void add_release(CLI::App& app, Result<void>& outcome);
void add_bench(CLI::App& app, Result<void>& outcome);
void add_version(CLI::App& app, Result<void>& outcome);

/// The options --ca, --certificate and --key of a client of TLS.
void add_trust_options(CLI::App& command, net::TrustSettings& trust);

/// The options --config and --set; the source lives as long as the command.
std::shared_ptr<SettingsSource> add_settings_options(CLI::App& command);

}  // namespace kefu::cli
