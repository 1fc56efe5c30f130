// SPDX-License-Identifier: MIT
// oai check: everything that could go wrong, each on its own line with what to do.
#include "command/check.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "command/command.h"
#include "format.h"
#include "pg/connection.h"
#include "repository.h"
#include "token.h"
#include "xml/document.h"

namespace oai::command {
namespace {

void check_token_keys(const Config& config, Findings&) {
    read_token_key(config.token.key_file);
    if (!config.token.previous_key_file.empty()) read_token_key(config.token.previous_key_file);
}

void check_descriptions(const Config& config, Findings&) { make_repository(config); }

void check_formats(const Config& config, Findings&) { FormatRegistry::read(config.formats.directory); }

void check_roles(const Config& config, Findings& findings) {
    const std::pair<const char*, const std::string&> roles[] = {
        {"[publisher] connection", config.publisher.connection},
        {"[loader] connection", config.loader.connection}};
    for (const auto& [key, conninfo] : roles) {
        if (conninfo.empty()) continue;
        try {
            pg::Connection(conninfo, "oai check");
        } catch (const pg::Error& e) {
            findings.problem(key, e.what());
        }
    }
}

struct Check {
    const char* part;
    void (*run)(const Config&, Findings&);
};
constexpr Check kChecks[] = {
    {"token key", check_token_keys}, {"description", check_descriptions}, {"formats", check_formats},
    {"roles", check_roles},          {"database", check_database},
};

int print_keys() {
    fmt::print("section\tkey\tdefault\ttype\trequired\tlist\tmeaning\n");
    for (const ConfigKey& k : config_keys())
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", k.section, k.key, k.default_value, k.type,
                   k.required ? "yes" : "no", k.list ? "yes" : "no", k.meaning);
    return kFine;
}

}  // namespace

void Findings::problem(std::string_view part, std::string_view what) {
    for (const std::string_view line : text::split(what, '\n')) {
        fmt::print(stderr, "oai: {}: {}\n", part, line);
        ++problems_;
    }
}

int command_check(const Invocation& invocation) {
    bool keys = false;
    CLI::App app{
        "Checks the configuration and everything that it names; each problem is said with what to do."};
    app.add_flag("--keys", keys,
                 "print the table of oai.ini's keys as tab-separated values, reading no file");
    parse(app, invocation);
    if (keys) return print_keys();

    const Config config = configuration(invocation);
    xml::initialise();
    Findings findings;
    for (const Check& check : kChecks) {
        try {
            check.run(config, findings);
        } catch (const std::exception& e) {
            findings.problem(check.part, e.what());
        }
    }
    if (findings.problems() > 0) return kRefused;
    fmt::print("no problem found\n");
    return kFine;
}

}  // namespace oai::command
