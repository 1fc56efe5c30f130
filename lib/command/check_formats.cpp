// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "command/check.h"
#include "format/file.h"
#include "format/trial_process.h"
#include "protocol/error.h"
#include "transform/files.h"
#include "xml/document.h"
#include "xml/schema.h"

namespace oai::command {
namespace {

namespace fs = std::filesystem;
using Formats = std::vector<std::shared_ptr<const Format>>;

constexpr const char* kPart = "formats";

// The deployed formats, except for those with the name of a checked file, which replaces them.
Formats read_deployed_others(const Config::Formats& deployed,
                             const std::vector<std::string>& files) {
    Formats formats;
    for (const std::string& path : format_files_of(deployed.directory)) {
        const auto same = [&](const std::string& file) {
            return fs::path(file).filename() == fs::path(path).filename();
        };
        if (std::any_of(files.begin(), files.end(), same)) continue;
        try {
            formats.push_back(compile_format_file(path, catalog_of(deployed)));
        } catch (const Fault&) {  // a faulty file that is not to be checked
        }
    }
    return formats;
}

void check_names(const Formats& formats, const Formats& deployed_others, Findings& findings) {
    for (std::size_t i = 0; i < formats.size(); ++i) {
        Formats others = deployed_others;
        others.insert(others.end(), formats.begin(),
                      formats.begin() + static_cast<std::ptrdiff_t>(i));
        for (const auto& other : others) {
            if (const std::string* name = name_in_common(*formats[i], *other))
                findings.problem(kPart, fmt::format("{}:{}: {} is taken by {}", formats[i]->path,
                                                    formats[i]->line, *name, other->path));
        }
    }
}

// An about stylesheet for a format that does not exist has no effect, which nobody would notice.
void check_goes_with(const Formats& formats, const Formats& deployed_others, Findings& findings) {
    Formats all = deployed_others;
    all.insert(all.end(), formats.begin(), formats.end());
    const FormatRegistry registry(std::move(all));
    for (const auto& about : formats) {
        for (const std::string& prefix : about->goes_with) {
            if (registry.find(prefix) == nullptr)
                findings.problem(kPart, fmt::format("{}:{}: formats: there is no format {}",
                                                    about->path, about->line, prefix));
        }
    }
}

void check_deployed(const Config& config, const Formats& formats, Findings& findings) {
    const std::string& directory = config.formats.directory;
    const FormatRegistry all(formats);
    if (all.find("oai_dc") == nullptr)
        findings.problem(kPart,
                         directory + ": no format with the prefix oai_dc, which OAI-PMH demands");
    const auto offered = text::split(config.formats.only, ',');
    for (const std::string_view prefix : offered)
        if (!text::trim(prefix).empty() && all.find(text::trim(prefix)) == nullptr)
            findings.problem(kPart, fmt::format("[formats] only: there is no format {}", prefix));
    for (const auto& format : formats)
        if (const std::string wrong = wrong_place(directory, *format); !wrong.empty())
            findings.problem(kPart, wrong);
}

// Prints the result of a trial. A failing record is a problem, unless it lacks a required column.
void report(const Format& format, const Trial& trial, const std::string& way, Findings& findings) {
    fmt::print(
        "{} ({}): {} records, {} bad, {:.1f} us a record {}, {}\n", format.prefix, format.path,
        trial.records, trial.failed, trial.spent_microseconds / std::max(trial.records, 1), way,
        trial.schema_file.empty() ? "no schema at hand" : "validated by " + trial.schema_file);
    std::fflush(stdout);  // before the next trial, which may be slow
    if (trial.failed > 0 && trial.faults.empty())
        findings.problem(
            kPart,
            fmt::format(
                "{}:{}: {} of {} records fail, the first is {}; mend the stylesheet or the "
                "records, or leave out those that lack a column by requires=\"COLUMN\"; oai check "
                "--records --format {} lists them",
                format.path, format.line, trial.failed, trial.records, trial.first_failure,
                format.prefix));
}

// Tries each file in a process of its own, as the server does, and returns those that compile.
Formats try_all(const Config& config, const FormatChecks& checks,
                const std::vector<std::string>& files, Findings& findings) {
    Formats formats;
    std::string untried;
    for (const std::string& file : files) {
        std::vector<std::string> command = checks.trial_command;
        command.insert(command.end(), {std::to_string(checks.samples), file});
        const TrialAnswer trial =
            try_in_process(std::move(command), trial_limit(checks.samples), [] { return false; });
        for (const std::string& fault : trial.faults) findings.problem(kPart, fault);
        if (!checks.is_untried_known && !trial.untried.empty() &&
            std::exchange(untried, trial.untried) != trial.untried)
            findings.problem(kPart, "cannot be tried over records: " + untried);
        if (!trial.has_run && !trial.faults.empty()) continue;
        if (!trial.schema_problem.empty())
            findings.problem(kPart,
                             fmt::format("schema of {}: {}", trial.prefix, trial.schema_problem));
        const auto format =
            formats.emplace_back(compile_format_file(file, catalog_of(config.formats)));
        if (trial.differs) format->compiled->switch_off();
        if (trial.is_whole)
            report(*format, trial, execution_of(*format, config.formats.compiled), findings);
    }
    return formats;
}

// The server ignores an invalid catalog; it matters only for stylesheets whose imports it maps.
void check_catalog(const Config& config, Findings& findings) try {
    if (const std::string path = catalog_of(config.formats); !path.empty())
        transform::Catalog::read(path);
} catch (const xml::Error& e) {
    findings.problem("catalog", e.what());
}

}  // namespace

void check_formats(const Config& config, const FormatChecks& checks, Findings& findings) {
    const std::string& directory = config.formats.directory;
    const bool deployed = checks.files.empty();
    const Formats formats =
        try_all(config, checks, deployed ? format_files_of(directory) : checks.files, findings);
    const Formats deployed_others =
        deployed ? Formats() : read_deployed_others(config.formats, checks.files);
    check_names(formats, deployed_others, findings);
    check_goes_with(formats, deployed_others, findings);
    if (deployed) check_deployed(config, formats, findings);
    xml::SchemaFolder schemas(directory + "/schema");
    schemas.find("", "");  // reads the names
    for (const std::string& problem : schemas.problems()) findings.problem(kPart, problem);
    check_catalog(config, findings);
}

}  // namespace oai::command
