// SPDX-License-Identifier: MIT
// oai init: sets up a repository on a machine on which the package is installed. The steps are done
// by other programs (createdb, systemctl, the web server's), so a script of the package
// (deploy/init) runs and prints the commands.
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "command/command.h"
#include "command/options.h"

namespace oai::command {

int command_init(const Invocation& invocation) {
    bool dry_run = false;
    std::array<std::string, 7> answers;
    const std::vector<Option> table{
        {"--name", &answers[0], "its name, as harvesters show it to people"},
        {"--base-url", &answers[1], "the address that harvesters use, which ends in /oai"},
        {"--admin-email", &answers[2], "who answers questions of harvesters"},
        {"--namespace", &answers[3], "a domain name of yours for identifiers, which never changes"},
        {"--model", &answers[4], "what it describes", one_of({"webarchiv", "library"})},
        {"--database", &answers[5], "the name of the database; default: oai"},
        {"--web-server", &answers[6], "what mounts it; default: the one that is installed",
         one_of({"nginx", "apache", "none"})},
        {"--dry-run", &dry_run, "show the commands, and change nothing"}};
    parse(invocation,
          "Sets up a repository on a machine on which the package is installed: writes oai.ini, "
          "makes database and roles, starts the units, and mounts it in the web server. What no "
          "option says is asked for; without a terminal it is the default.",
          table);

    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    std::vector<std::string> words{program.parent_path().parent_path() / "share/oai-fcgi/init",
                                   "config=" + invocation.config_path,
                                   "program=" + program.string()};
    if (dry_run) words.emplace_back("dry-run=yes");
    for (const Option& option : table)
        if (const auto* text = std::get_if<std::string*>(&option.value); text && !(*text)->empty())
            words.push_back(option.names.substr(2) + "=" + **text);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    throw std::runtime_error(words[0] + ": " + std::strerror(errno) +
                             " (it comes with the package)");
}

}  // namespace oai::command
