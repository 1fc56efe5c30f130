// SPDX-License-Identifier: MIT
// oai: the administrator's tool. Has the table of subcommands, and prints what they throw.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "command/command.h"

namespace oai::command {
namespace {

constexpr const char* kDefaultConfig = "/etc/oai-fcgi/oai.ini";

struct Subcommand {
    const char* name;
    const char* summary;
    int (*run)(const Invocation&);
};

constexpr Subcommand kSubcommands[] = {
    {"check", "look for everything that could go wrong, and say what to do", command_check},
    {"delete", "mark items as deleted", command_delete},
    {"explore", "send a request to any repository, and check the answer", command_explore},
    {"export-static", "write a small repository as one file for a gateway", command_export_static},
    {"get", "answer a request as the server would", command_get},
    {"harvest", "harvest other repositories into files or the database", command_harvest},
    {"import-static", "import a static repository, as a gateway does", command_import_static},
    {"load", "load files of web archives, or bibliographic records", command_load},
    {"publish", "publish what writers have changed, as a service or once", command_publish},
    {"purge", "remove deleted records for good (deleted_record = transient)", command_purge},
    {"recover", "recover documents of a web archive from its files", command_recover},
    {"repository", "add, list and remove repositories that are harvested", command_repository},
    {"schema", "report or install the database schema", command_schema},
    {"status", "show who harvests what, how far and with which errors", command_status},
    {"token", "explain a resumptionToken", command_token},
    {"undelete", "bring deleted items back", command_undelete},
    {"validate", "test whether a repository conforms to OAI-PMH 2.0", command_validate},
};

std::string list_subcommands() {
    std::string out = "Subcommands (each has --help):\n";
    for (const Subcommand& s : kSubcommands) out += fmt::format("  {:<15}{}\n", s.name, s.summary);
    return out;
}

void print_problem(std::string_view problem) {
    for (const std::string_view line : text::split(problem, '\n'))
        fmt::print(stderr, "oai: {}\n", line);
}

// Prints help or the parse error, and exits.
[[noreturn]] void exit_after(const CLI::App& app, const CLI::ParseError& e,
                             const std::string& prefix) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(e);
        throw ExitRequest{kFine};
    }
    print_problem(prefix + e.what());
    throw ExitRequest{kUsage};
}

// --config may also follow the subcommand.
void take_config(Invocation& invocation) {
    auto& arguments = invocation.arguments;
    for (auto i = arguments.begin(); i != arguments.end() && *i != "--";) {
        if (i->starts_with("--config=")) {
            invocation.config_path = i->substr(9);
            i = arguments.erase(i);
        } else if (*i == "--config" && i + 1 != arguments.end()) {
            invocation.config_path = *(i + 1);
            i = arguments.erase(i, i + 2);
        } else {
            ++i;
        }
    }
}

Invocation read_command_line(int argc, char** argv) {
    Invocation invocation;
    CLI::App app{"The administrator's tool of oai-fcgi, an OAI-PMH data provider.", "oai"};
    app.footer(list_subcommands());
    app.add_option("--config", invocation.config_path, "the configuration file")
        ->default_val(kDefaultConfig);
    app.prefix_command();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        exit_after(app, e, "");
    }
    invocation.arguments = app.remaining();
    if (invocation.arguments.empty()) {
        print_problem("a subcommand is missing; oai --help lists them");
        throw ExitRequest{kUsage};
    }
    invocation.name = invocation.arguments.front();
    invocation.arguments.erase(invocation.arguments.begin());
    take_config(invocation);
    return invocation;
}

int run(const Invocation& invocation) {
    const auto* found =
        std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                     [&](const Subcommand& s) { return invocation.name == s.name; });
    if (found == std::end(kSubcommands)) {
        print_problem(invocation.name + ": no such subcommand; oai --help lists them");
        return kUsage;
    }
    return found->run(invocation);
}

}  // namespace

void parse(CLI::App& app, const Invocation& invocation) {
    app.name("oai " + invocation.name);
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend());
    try {
        app.parse(reversed);  // CLI11 expects the arguments in reverse order
    } catch (const CLI::ParseError& e) {
        exit_after(app, e, invocation.name + ": ");
    }
}

Config configuration(const Invocation& invocation) {
    forbid_core_dumps();  // before the first secret is read
    Config config = read_config(invocation.config_path);
    log::set_level(config.log.level);
    return config;
}

}  // namespace oai::command

int main(int argc, char** argv) {
    using namespace oai::command;
    try {
        return run(read_command_line(argc, argv));
    } catch (const ExitRequest& request) {
        return request.code;
    } catch (const CLI::ParseError& e) {
        print_problem(e.what());
        return kUsage;
    } catch (const std::exception& e) {
        print_problem(e.what());
        return kRefused;
    }
}
