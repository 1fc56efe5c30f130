// SPDX-License-Identifier: MIT
#include "command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "base/log.h"
#include "base/secret.h"
#include "base/version.h"
#include "pg/error.h"

namespace oai::command {
namespace {

constexpr const char* kDefaultConfig = "/etc/oai-fcgi/oai.ini";

struct Subcommand {
    const char* name;
    const char* user;  // the system user whose role and files the subcommand needs
    const char* summary;
    int (*run)(const Invocation&);
};

constexpr Subcommand kSubcommands[] = {
    {"check", "root", "look for everything that could go wrong, and say what to do", command_check},
    {"delete", "oai_loader", "mark items as deleted", command_change},
    {"doctor", "root", "another name of check", command_check},
    {"dump", "oai_reader", "write all records, and what changed since, as files", command_dump},
    {"explain", "anybody", "explain an error by its id or its words", command_explain},
    {"export-static", "oai_reader", "write a small repository as one file", command_export_static},
    {"format", "root", "tell harvesters that a format's records have changed", command_format},
    {"get", "oai_reader", "answer a request as the server would", command_get},
    {"harvest", "oai_loader", "harvest others into files or the database", command_harvest},
    {"init", "root", "set up a repository where the package is installed", command_init},
    {"load", "oai_loader", "load files of web archives, or bibliographic records", command_load},
    {"map", "postgres", "serve tables of your own: keep a copy that follows them", command_map},
    {"publish", "oai_publisher", "publish what writers have changed", command_publish},
    {"purge", "oai_publisher", "remove deleted records for good (deleted_record = transient)",
     command_purge},
    {"record", "oai_reader", "show what stylesheets see or make of a record", command_record},
    {"recover", "anybody", "recover documents of a web archive from its files", command_recover},
    {"repository", "oai_loader", "add, list and remove repositories that are harvested",
     command_repository},
    {"restore", "oai_loader", "bring withdrawn items back", command_change},
    {"schema", "postgres", "report or install the database schema", command_schema},
    {"sets", "oai_reader", "list all sets, and who defines them", command_sets},
    {"status", "oai_reader", "show who harvests what, and how far", command_status},
    {"token", "oai_reader", "explain a resumptionToken", command_token},
    {"undelete", "oai_loader", "bring deleted items back", command_change},
    {"validate", "anybody", "test whether a repository conforms to OAI-PMH 2.0", command_validate},
    {"withdraw", "oai_loader", "take items down, with a reason", command_change},
};

std::string list_subcommands() {
    std::string out = "Subcommands (each has --help):\n";
    for (const Subcommand& s : kSubcommands) out += fmt::format("  {:<15}{}\n", s.name, s.summary);
    return out;
}

const Subcommand* find_subcommand(std::string_view name) {
    const auto* found = std::ranges::find(kSubcommands, name, &Subcommand::name);
    return found == std::end(kSubcommands) ? nullptr : found;
}

// The note on the user in the help. Root may run all but map and schema, since it can become the
// system user of each role.
std::string user_note(std::string_view user) {
    if (user == "anybody" || user == "root") return fmt::format("Run as: {}\n", user);
    if (user == "postgres") return "Run as: postgres, or who else owns the database\n";
    return fmt::format("Run as: {} or root\n", user);
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
    invocation.config_path = kDefaultConfig;
    const OptionTable table{
        .name = "oai",
        .description = "The administrator's tool of oai-fcgi, an OAI-PMH data provider.",
        .options = {{"--config", &invocation.config_path, "the configuration file", kShowDefault}},
        .footer = list_subcommands(),
        .version = version_of("oai"),
        .ends_at_word = true};
    invocation.arguments = parse_options(table, {argv + 1, argv + argc}).rest;
    if (invocation.arguments.empty())
        throw UsageError("a subcommand is missing; oai --help lists them");
    invocation.name = invocation.arguments.front();
    invocation.arguments.erase(invocation.arguments.begin());
    take_config(invocation);
    return invocation;
}

int run(const Invocation& invocation) {
    if (const Subcommand* const found = find_subcommand(invocation.name))
        return found->run(invocation);
    throw UsageError(invocation.name + ": no such subcommand; oai --help lists them");
}

}  // namespace

std::string parse(const Invocation& invocation, std::string description,
                  std::vector<Option> options, std::vector<Action> actions) {
    const Subcommand* const found = find_subcommand(invocation.name);
    return parse_options({.name = "oai " + invocation.name,
                          .description = std::move(description),
                          .options = std::move(options),
                          .actions = std::move(actions),
                          .footer = found == nullptr ? "" : user_note(found->user)},
                         invocation.arguments)
        .action;
}

Config configuration(const Invocation& invocation) {
    forbid_core_dumps();  // before the first secret is read
    Config config = read_config(invocation.config_path);
    log::set_level(config.log.level);
    if (config.server.socket.empty())
        config.server.socket =
            fmt::format("{}{}.sock", kSocketDirectory,
                        std::filesystem::path(invocation.config_path).stem().string());
    return config;
}

int run_tool(int argc, char** argv) {
    try {
        const int code = run(read_command_line(argc, argv));
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush()) return code;
        throw std::runtime_error("standard output could not be written to its end");
    } catch (const ExitRequest& request) {
        return request.code;
    } catch (const UsageError& e) {
        print_problem(e.what(), "OAI-1501");
        return kUsage;
    } catch (const ConfigError& e) {
        print_problem(e.what(), "OAI-1502");
        return kRefused;
    } catch (const std::exception& e) {
        print_problem(pg::with_remedy(e), "OAI-1599");
        return kRefused;
    }
}

}  // namespace oai::command
