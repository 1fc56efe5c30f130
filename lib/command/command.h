// SPDX-License-Identifier: MIT
// The subcommands of `oai`: each is one function in the file of its name, main.cpp holds the table of them. A
// subcommand declares its options on a CLI::App of its own, calls parse(), does its work and returns an exit
// code. It prints results to stdout and problems to stderr; what it throws, main prints as one line "oai:
// ...".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/config.h"

namespace oai::command {

// oai(1), EXIT STATUS.
enum ExitCode { kFine = 0, kRefused = 1, kUsage = 2 };

struct Invocation {
    std::string name;                    // of the subcommand: "load"
    std::string config_path;             // --config, which may stand before or behind the name
    std::vector<std::string> arguments;  // what stands behind the name, --config taken out
};

// Thrown to leave with a code after everything was said: --help, wrong usage.
struct Finished {
    int code;
};

// Parses the invocation's arguments by the app's options. --help prints and throws Finished{kFine}; what the
// options do not allow is said on stderr and throws Finished{kUsage}.
void parse(CLI::App& app, const Invocation& invocation);

// The configuration named by --config. Throws ConfigError.
Config configuration(const Invocation& invocation);

int command_explore(const Invocation& invocation);
int command_get(const Invocation& invocation);
int command_token(const Invocation& invocation);
int command_schema(const Invocation& invocation);
int command_status(const Invocation& invocation);
int command_publish(const Invocation& invocation);
int command_check(const Invocation& invocation);
int command_delete(const Invocation& invocation);  // these three: lib/command/deletion.cpp
int command_undelete(const Invocation& invocation);
int command_export_static(const Invocation& invocation);
int command_import_static(const Invocation& invocation);
int command_recover(const Invocation& invocation);
int command_purge(const Invocation& invocation);
int command_repository(const Invocation& invocation);  // those that are harvested: lib/command/repository.cpp
int command_harvest(const Invocation& invocation);  // lib/command/harvest.cpp, harvest_files.cpp
int command_validate(const Invocation& invocation);
int command_load(const Invocation& invocation);  // files, progress, damaged input: lib/command/load.cpp

}  // namespace oai::command
