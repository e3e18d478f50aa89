#pragma once
// What a command registers: its options on a CLI11 sub-command and the function to run.

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace kefu::cli {

/// Each adds its sub-command to `app`; the callback stores into `outcome` what happened.
void add_version(CLI::App& app, Result<void>& outcome);
void add_embed(CLI::App& app, Result<void>& outcome);

}  // namespace kefu::cli
