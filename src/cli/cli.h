#pragma once
// The command line: `kefu COMMAND ...`, one file per command.

namespace kefu::cli {

/// Runs the command and returns the process's exit status: 0, 1 on failure, 2 on wrong usage.
int run(int argc, char** argv);

}  // namespace kefu::cli
