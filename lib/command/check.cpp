// SPDX-License-Identifier: MIT
// oai check: prints a line for each problem, with advice.
#include "command/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/config_keys.h"
#include "base/text.h"
#include "browse/browse.h"
#include "command/command.h"
#include "command/queries.h"
#include "format/trial.h"
#include "protocol/repository.h"
#include "protocol/resumption_token.h"
#include "xml/document.h"

namespace oai::command {
namespace {

// An internal option, used by the server and this command: runs a trial (format/trial_process.h).
constexpr const char* kTry = "--try-format";

struct CheckOptions {
    std::string config_file;
    bool keys = false;
    bool offline = false;
    FormatChecks formats;
    std::vector<std::string> sets;  // files of sets
    bool records = false;
    std::vector<std::string> record_formats;
};

void check_roles(const Config& config, Findings& findings) {
    const std::pair<const char*, const std::string&> roles[] = {
        {"[database] connection", config.database.connection},
        {"[publisher] connection", config.publisher.connection},
        {"[loader] connection", config.loader.connection}};
    std::string serving;
    for (const auto& [key, conninfo] : roles) {
        if (conninfo.empty()) continue;
        try {
            pg::Connection database(conninfo, "oai check");
            const std::string found(database.query(queries::kWhichDatabase).bytes(0, 0));
            if (&conninfo == &config.database.connection) serving = found;
            if (!serving.empty() && found != serving)
                findings.problem(key, fmt::format("leads to database {}, but [database] connection "
                                                  "to {}",
                                                  found, serving));
        } catch (const pg::Error& e) {
            findings.problem(key, pg::with_remedy(e));
        }
    }
}

int print_keys() {
    fmt::print("section\tkey\tdefault\ttype\trequired\tlist\tmeaning\n");
    for (const KeyRow& row : key_rows())
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.section, row.key, row.type.print(Config{}),
                   row.type.form, row.required ? "yes" : "no", row.type.is_list ? "yes" : "no",
                   row.meaning);
    return kFine;
}

CheckOptions read_check_options(const Invocation& invocation) {
    CheckOptions options;
    options.config_file = invocation.config_path;
    parse(
        invocation,
        "Checks the configuration and everything it refers to; each problem is reported with what "
        "to do.",
        {{"--keys", &options.keys,
          "print the table of the keys of oai.ini as tab-separated values; reads no file"},
         {"file", &options.formats.files,
          "check only these stylesheets or sets (NAME.set), before they are deployed"},
         {"--samples", &options.formats.samples,
          "number of records that each stylesheet is tried with", in_range(1, 1'000'000)},
         {"--offline", &options.offline,
          "before the services are started: ask neither the server nor the publisher"},
         {"--records", &options.records, "only render every record in every format"},
         {"--format", &options.record_formats,
          "with --records: only in this format; may be repeated", kSeveral}});
    if (!options.records && !options.record_formats.empty())
        throw UsageError("check: --format goes with --records");
    std::vector<std::string>& files = options.formats.files;
    const auto sets =
        std::stable_partition(files.begin(), files.end(),
                              [](const std::string& file) { return !file.ends_with(".set"); });
    options.sets.assign(sets, files.end());
    files.erase(sets, files.end());
    return options;
}

// Catches exceptions, so that one problem does not hide the others.
void run(const char* part, Findings& findings, const std::function<void()>& check) try {
    check();
} catch (const std::exception& e) {
    findings.problem(part, pg::with_remedy(e));
}

// Problems that affect everything come first.
void check_all(const Config& config, CheckOptions& options, Findings& findings) {
    const bool has_pages = !config.browse.directory.empty();
    const std::pair<const char*, std::function<void()>> parts[] = {
        {"token key", [&] { read_token_sealer(config.token); }},
        {"description", [&] { make_repository(config); }},
        {"pages", [&] { has_pages ? void(BrowsePages(config, make_repository(config))) : void(); }},
        {"rights", [&] { check_files(config, options.config_file, findings); }},
        {"roles", [&] { check_roles(config, findings); }},
        {"server", [&] { options.offline ? void() : check_server(config, findings); }},
        {"publisher", [&] { options.offline ? void() : check_publisher(config, findings); }},
        {"database", [&] { check_database(config, findings); }}};
    for (const auto& [part, check] : parts) run(part, findings, check);
    options.formats.is_untried_known = findings.problems() > 0;
    run("formats", findings, [&] { check_formats(config, options.formats, findings); });
}

}  // namespace

void Findings::problem(std::string_view part, std::string_view what) {
    for (const std::string_view line : text::split(what, '\n')) {
        const std::string problem = fmt::format("{}: {}", part, line);
        if (printed_.insert(problem).second) print_problem(problem, fmt::format("{}: ...", part));
    }
}

int command_check(const Invocation& invocation) {
    const auto& arguments = invocation.arguments;
    if (arguments.size() == 3 && arguments[0] == kTry)
        answer_trial(configuration(invocation), arguments[2], std::atoi(arguments[1].c_str()));
    CheckOptions options = read_check_options(invocation);
    options.formats.trial_command = {"/proc/self/exe", "--config", invocation.config_path,
                                     invocation.name, kTry};
    if (options.keys) return print_keys();
    const Config config = configuration(invocation);
    xml::initialise();
    Findings findings;
    const bool all = !options.records && options.formats.files.empty() && options.sets.empty();
    if (all) check_all(config, options, findings);
    if (options.records)
        run("records", findings, [&] { check_records(config, options.record_formats, findings); });
    else if (!options.formats.files.empty())
        run("formats", findings, [&] { check_formats(config, options.formats, findings); });
    if (!options.records && !options.sets.empty())
        run("set", findings, [&] { check_set_files(config, options.sets, findings); });
    if (findings.problems() > 0) return kRefused;
    fmt::print("no problem found\n");
    return kFine;
}

}  // namespace oai::command
