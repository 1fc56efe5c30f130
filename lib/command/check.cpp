// SPDX-License-Identifier: MIT
// oai check: everything that could go wrong, each on its own line with what to do.
#include "command/check.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "command/command.h"
#include "pg/connection.h"
#include "repository.h"
#include "token.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct Options {
    bool keys = false;
    FormatChecks formats;
    bool records = false;
    RecordChecks every;
};

void check_token_keys(const Config& config, const Options&, Findings&) {
    read_token_key(config.token.key_file);
    if (!config.token.previous_key_file.empty()) read_token_key(config.token.previous_key_file);
}

void check_descriptions(const Config& config, const Options&, Findings&) { make_repository(config); }

void check_stylesheets(const Config& config, const Options& options, Findings& findings) {
    check_formats(config, options.formats, findings);
}

void check_contents(const Config& config, const Options&, Findings& findings) { check_database(config, findings); }

void check_roles(const Config& config, const Options&, Findings& findings) {
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
    void (*run)(const Config&, const Options&, Findings&);
};
void check_every_record(const Config& config, const Options& options, Findings& findings) {
    check_records(config, options.every, findings);
}

constexpr Check kRecords{"records", check_every_record};
constexpr Check kFormats{"formats", check_stylesheets};
constexpr Check kChecks[] = {
    {"token key", check_token_keys}, {"description", check_descriptions}, kFormats,
    {"roles", check_roles},          {"database", check_contents},
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

namespace {

Options read_options(const Invocation& invocation) {
    Options options;
    CLI::App app{
        "Checks the configuration and everything that it names; each problem is said with what to do."};
    app.add_flag("--keys", options.keys,
                 "print the table of oai.ini's keys as tab-separated values, reading no file");
    app.add_option("file", options.formats.files, "stylesheets to check before they are deployed, and nothing else");
    app.add_option("--samples", options.formats.samples, "records that each stylesheet is tried over")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    const auto* records = app.add_flag("--records", options.records, "make every record in every format, and nothing else");
    app.add_option("--format", options.every.prefixes, "with --records: in this format; may be repeated");
    app.add_flag("--exclude", options.every.exclude,
                 "with --records: take those that fail out of the lists of the format, until they are mended");
    parse(app, invocation);
    if (records->count() == 0 && (options.every.exclude || !options.every.prefixes.empty()))
        throw CLI::ValidationError("check: --format and --exclude go with --records");
    return options;
}

// By itself, so that one problem does not hide the others.
void run(const Check& check, const Config& config, const Options& options, Findings& findings) {
    try {
        check.run(config, options, findings);
    } catch (const std::exception& e) {
        findings.problem(check.part, e.what());
    }
}

}  // namespace

int command_check(const Invocation& invocation) {
    const Options options = read_options(invocation);
    if (options.keys) return print_keys();
    const Config config = configuration(invocation);
    xml::initialise();
    Findings findings;
    if (options.records) {
        run(kRecords, config, options, findings);
    } else if (!options.formats.files.empty()) {
        run(kFormats, config, options, findings);
    } else {
        for (const Check& check : kChecks) run(check, config, options, findings);
    }
    if (findings.problems() > 0) return kRefused;
    fmt::print("no problem found\n");
    return kFine;
}

}  // namespace oai::command
