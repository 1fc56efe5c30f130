// SPDX-License-Identifier: MIT
// oai: the administrator's tool. One table of subcommands; here alone is caught and said what they throw.
#include <fmt/format.h>

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
    {"explore", "send a request to any repository, and judge the answer", command_explore},
    {"export-static", "write a small repository as one file for a gateway", command_export_static},
    {"get", "answer a request as the server would", command_get},
    {"harvest", "harvest other repositories into files or the database", command_harvest},
    {"import-static", "take in a static repository, as a gateway does", command_import_static},
    {"load", "load files of web archives, or bibliographic records", command_load},
    {"publish", "publish what writers have changed, as a service or once", command_publish},
    {"purge", "forget deleted records (deleted_record = transient only)", command_purge},
    {"recover", "bring documents of a web archive back from its files", command_recover},
    {"repository", "note, list and forget the repositories that are harvested", command_repository},
    {"schema", "report or install the database schema", command_schema},
    {"status", "show who harvests what, how far and with which errors", command_status},
    {"token", "explain a resumptionToken", command_token},
    {"undelete", "bring deleted items back", command_undelete},
    {"validate", "test whether any repository conforms to OAI-PMH 2.0", command_validate},
};

std::string list_subcommands() {
    std::string out = "Subcommands (each has --help):\n";
    for (const Subcommand& s : kSubcommands) out += fmt::format("  {:<15}{}\n", s.name, s.summary);
    return out;
}

void say(std::string_view problem) {
    for (const std::string_view line : text::split(problem, '\n')) fmt::print(stderr, "oai: {}\n", line);
}

// Prints what the parser has to say and leaves.
[[noreturn]] void finish(const CLI::App& app, const CLI::ParseError& e, const std::string& prefix) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(e);
        throw Finished{kFine};
    }
    say(prefix + e.what());
    throw Finished{kUsage};
}

// --config may stand behind the subcommand too.
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
    app.add_option("--config", invocation.config_path, "the configuration file")->default_val(kDefaultConfig);
    app.prefix_command();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        finish(app, e, "");
    }
    invocation.arguments = app.remaining();
    if (invocation.arguments.empty()) {
        say("a subcommand is missing; oai --help has them all");
        throw Finished{kUsage};
    }
    invocation.name = invocation.arguments.front();
    invocation.arguments.erase(invocation.arguments.begin());
    take_config(invocation);
    return invocation;
}

int run(const Invocation& invocation) {
    const auto* found = std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                                     [&](const Subcommand& s) { return invocation.name == s.name; });
    if (found == std::end(kSubcommands)) {
        say(invocation.name + ": no such subcommand; oai --help has them all");
        return kUsage;
    }
    return found->run(invocation);
}

log::Level level_named(const std::string& name) {
    if (name == "debug") return log::Level::debug;
    if (name == "info") return log::Level::info;
    if (name == "warning") return log::Level::warning;
    return log::Level::error;
}

}  // namespace

void parse(CLI::App& app, const Invocation& invocation) {
    app.name("oai " + invocation.name);
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend());
    try {
        app.parse(reversed);  // CLI11 takes the vector from its end
    } catch (const CLI::ParseError& e) {
        finish(app, e, invocation.name + ": ");
    }
}

Config configuration(const Invocation& invocation) {
    forbid_core_dumps();  // before the first secret is read
    Config config = read_config(invocation.config_path);
    log::set_level(level_named(config.log.level));
    return config;
}

}  // namespace oai::command

int main(int argc, char** argv) {
    using namespace oai::command;
    try {
        return run(read_command_line(argc, argv));
    } catch (const Finished& finished) {
        return finished.code;
    } catch (const CLI::ParseError& e) {
        say(e.what());
        return kUsage;
    } catch (const std::exception& e) {
        say(e.what());
        return kRefused;
    }
}
