// SPDX-License-Identifier: MIT
// The subcommands of `oai`: each is a function in the file of its name, or deletion.cpp and
// explain.cpp; command.cpp has the table of them. A subcommand parses its table of options, does
// its work and returns an exit code. It prints results to stdout and problems to stderr; main
// prints exceptions as a line "oai: ...".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "command/options.h"

namespace oai::command {

// oai(1), EXIT STATUS.
enum ExitCode { kFine = 0, kRefused = 1, kUsage = 2 };

struct Invocation {
    std::string name;                    // of the subcommand: "load"
    std::string config_path;             // --config, which may come before or after the name
    std::vector<std::string> arguments;  // the arguments after the name, without --config
};

// Parses the invocation's arguments as parse_options() does, with the user to run it as in the
// help. Returns the action, or "".
std::string parse(const Invocation& invocation, std::string description,
                  std::vector<Option> options, std::vector<Action> actions = {});

// Reads the configuration named by --config. If [server] socket is not set, it becomes the socket
// that systemd creates for a configuration of this name: /run/oai-fcgi/library.sock for
// library.ini. Throws ConfigError.
Config configuration(const Invocation& invocation);

inline constexpr std::string_view kSocketDirectory = "/run/oai-fcgi/";

// The page /-/status of the server behind the socket (status.cpp), as JSON. Throws as
// get_by_fastcgi().
std::string status_page(const Config& config, const std::string& socket);

// The entries of deploy/manual/symptoms.md, and the texts of messages by which they are recognised:
// ids first, then the longest. deploy/embed-symptoms generates both from that page.
struct Symptom {
    std::string_view id, seen, meaning, remedy;
};
struct SymptomText {
    std::string_view text, id;
};
std::span<const Symptom> symptoms();
std::span<const SymptomText> symptom_texts();

// Runs the subcommand of the command line and prints its exceptions. Returns an exit code.
int run_tool(int argc, char** argv);

using Command = int(const Invocation&);
Command command_change, command_check, command_dump, command_explain, command_export_static,
    command_format, command_get, command_harvest, command_init, command_load, command_map,
    command_publish, command_purge, command_record, command_recover, command_repository,
    command_schema, command_sets, command_status, command_token, command_validate;

}  // namespace oai::command
