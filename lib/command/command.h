// SPDX-License-Identifier: MIT
// The subcommands of `oai`: each is a function in the file of its name; command.cpp has the table
// of them. A subcommand parses its table of options, does its work and returns an exit code. It
// prints results to stdout and problems to stderr; exceptions are printed by main as a line "oai:
// ...".
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "command/options.h"

namespace oai::command {

// oai(1), EXIT STATUS.
enum ExitCode { kFine = 0, kRefused = 1, kUsage = 2 };

struct Invocation {
    std::string name;                    // of the subcommand: "load"
    std::string config_path;             // --config, which may come before or after the name
    std::vector<std::string> arguments;  // what follows the name, without --config
};

// Parses the invocation's arguments, as parse_options() does, with a help that says who runs it.
// Returns the action, "" if there are none.
std::string parse(const Invocation& invocation, std::string description,
                  std::vector<Option> options, std::vector<Action> actions = {});

// Reads the configuration named by --config. Where [server] socket is not set, it becomes the one
// that systemd holds for a configuration of this name: /run/oai-fcgi/library.sock of library.ini.
// Throws ConfigError.
Config configuration(const Invocation& invocation);

inline constexpr std::string_view kSocketDirectory = "/run/oai-fcgi/";

// The page /-/status of the server behind the socket (status.cpp), as JSON. Throws as
// get_by_fastcgi().
std::string status_page(const Config& config, const std::string& socket);

// Runs the subcommand that the command line names and prints what it throws. Returns an exit code.
int run_tool(int argc, char** argv);

int command_check(const Invocation& invocation);
int command_delete(const Invocation& invocation);  // deletion.cpp
int command_dump(const Invocation& invocation);
int command_export_static(const Invocation& invocation);
int command_format(const Invocation& invocation);
int command_get(const Invocation& invocation);
int command_harvest(const Invocation& invocation);
int command_init(const Invocation& invocation);
int command_load(const Invocation& invocation);
int command_map(const Invocation& invocation);
int command_publish(const Invocation& invocation);
int command_purge(const Invocation& invocation);  // deletion.cpp
int command_record(const Invocation& invocation);
int command_recover(const Invocation& invocation);
int command_repository(const Invocation& invocation);
int command_schema(const Invocation& invocation);
int command_sets(const Invocation& invocation);
int command_status(const Invocation& invocation);
int command_token(const Invocation& invocation);
int command_undelete(const Invocation& invocation);  // deletion.cpp
int command_validate(const Invocation& invocation);

}  // namespace oai::command
