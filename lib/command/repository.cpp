// SPDX-License-Identifier: MIT
// oai repository add|change|list|status|remove|duplicates|format: the harvested sources.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

#include "base/terminal.h"
#include "base/text.h"
#include "command/command.h"
#include "command/queries.h"
#include "pg/binary.h"
#include "protocol/identifier.h"
#include "tools/aggregate/database_sink.h"
#include "tools/aggregate/sources.h"
#include "tools/load/item.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"

namespace oai::command {
namespace {

using aggregate::Source;
using aggregate::SourceStatus;

struct RepositoryOptions {
    std::string action;
    Source source;  // add
    std::string identifiers = "ours";
    std::string interval, overlap, full_interval;  // "" not given
    bool keep_missing = false;                     // change
    std::string name;                              // status, remove
    std::string new_name;                          // change
    std::string hold;                              // change
    std::string records;                           // remove: "delete" or "keep"; "": ask
    std::string prefix;                            // format
    bool metrics = false;                          // status
};

// "90s", "15m", "6h", "1d", "1w". Throws UsageError.
std::chrono::seconds read_span(const std::string& option, const std::string& given) {
    constexpr std::pair<char, int> kUnits[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}, {'w', 604'800}};
    for (const auto& [unit, seconds] : kUnits) {
        if (given.size() < 2 || given.size() > 7 || given.back() != unit) continue;
        const auto n = text::to_integer(given.substr(0, given.size() - 1));
        if (n && *n >= 0) return std::chrono::seconds(*n * seconds);
    }
    throw UsageError(option + ": " + given + ": use 90s, 15m, 6h, 1d or 1w");
}

constexpr const char* kInterval = "Time between harvests by oai harvest --due";
constexpr const char* kOverlap = "Ask again for so much of the time before the last harvest";
constexpr const char* kFullInterval =
    "Time between harvests of all its records by oai harvest --due; never if it is not given";
constexpr const char* kDeleteMissing =
    "After a full harvest, delete what was not among its records";

RepositoryOptions read_repository_options(const Invocation& invocation) {
    RepositoryOptions o;
    const Action add{
        "add",
        "Notes a repository; oai harvest NAME then harvests it.",
        {{"NAME", &o.source.name,
          "A word of our own for it: the set col:NAME will have its records", kRequired},
         {"URL", &o.source.base_url, "Its base URL", kRequired},
         {"--format", &o.source.formats,
          "A metadataPrefix whose records are kept beside oai_dc; may be repeated"},
         {"--set", &o.source.sets, "Harvest this setSpec alone; may be repeated"},
         {"--identifiers", &o.identifiers, "Served under ours or theirs",
          one_of({"ours", "theirs"})},
         {"--normalise", &o.source.normalise,
          "A stylesheet of [harvest] normalise; may be repeated"},
         {"--interval", &o.interval, kInterval, {.default_text = "1d"}},
         {"--overlap", &o.overlap, kOverlap, {.default_text = "0s"}},
         {"--full-interval", &o.full_interval, kFullInterval},
         {"--delete-missing", &o.source.delete_missing, kDeleteMissing}}};
    const Action change{
        "change",
        "Changes what is noted of a repository.",
        {{"NAME", &o.name, "Which", kRequired},
         {"--name", &o.new_name,
          "A new name; its set and the identifiers of its records do not change"},
         {"--url", &o.source.base_url, "Its new base URL"},
         {"--set", &o.source.sets, "Harvest these sets instead of the previous ones"},
         {"--interval", &o.interval, kInterval},
         {"--overlap", &o.overlap, kOverlap},
         {"--full-interval", &o.full_interval, kFullInterval},
         {"--hold", &o.hold, "How long to keep its records if most of them are missing at once"},
         {"--delete-missing", &o.source.delete_missing, kDeleteMissing},
         {"--keep-missing", &o.keep_missing, "Do not delete missing records any more",
          excludes("--delete-missing")}}};
    o.action =
        parse(invocation, "The repositories that this one harvests, and what came of it.", {},
              {add,
               change,
               {"list", "One line for each."},
               {"status",
                "How each of them is, and how far its lists are harvested.",
                {{"NAME", &o.name, "Only this one; default: all"},
                 {"--metrics", &o.metrics, "For Prometheus, as a file of its node exporter"}}},
               {"remove",
                "Forgets a repository.",
                {{"NAME", &o.name, "Which", kRequired},
                 {"--records", &o.records,
                  "delete: its records become deleted records; keep: they become ours",
                  one_of({"delete", "keep"})}}},
               {"duplicates", "Looks for items that seem to be the same, and lists them."},
               {"format",
                "Prints a stylesheet that gives out the records kept in a format.",
                {{"PREFIX", &o.prefix, "Its metadataPrefix", kRequired}}}});
    return o;
}

// Throws UsageError for values that the tables would reject.
void check_source(const Source& source) {
    const auto refuse = [](const std::string& what) { throw std::runtime_error(what); };
    if (load::set_path(source.name) != source.name || source.name.find(':') != source.name.npos ||
        source.name.size() > 60 || source.name.starts_with('-') ||
        source.name.find_first_not_of('.') == source.name.npos)
        refuse(source.name +
               ": a name is up to 60 of A-Za-z0-9-_.!~*'(), does not begin with - and is not of "
               "dots alone");
    if (!load::is_url(source.base_url))
        refuse(source.base_url + ": a base URL begins with http:// or https://");
    const std::string url = text::lower_ascii(source.base_url);
    if (url.find('#') != url.npos || url.find("?verb=") != url.npos ||
        url.find("&verb=") != url.npos)
        refuse(source.base_url + ": a base URL has no fragment, and no request behind it");
    for (const std::string& prefix : source.formats)
        if (prefix == aggregate::kDescriptionPrefix) refuse("oai_dc is harvested always");
}

void read_spans(const RepositoryOptions& options, Source& source) {
    if (!options.interval.empty()) source.every = read_span("--interval", options.interval);
    if (!options.overlap.empty()) source.overlap = read_span("--overlap", options.overlap);
    if (!options.full_interval.empty())
        source.full_every = read_span("--full-interval", options.full_interval);
}

pg::Result own_tables(pg::Connection& connection, const std::string& name) {
    return connection.query(
        queries::kOwnTables,
        pg::Parameters().add(name.empty() ? std::nullopt : std::optional(name)));
}

void require_free_name(pg::Connection& connection, const std::string& name) {
    if (!aggregate::read_sources(connection, {name}).empty() ||
        own_tables(connection, name).rows() > 0)
        throw std::runtime_error(name + ": there is a repository of this name");
}

int add(pg::Connection& connection, const Config& config, RepositoryOptions& options) {
    Source& source = options.source;
    check_source(source);
    if (aggregate::is_own_collection(connection, source.name))
        throw std::runtime_error(source.name + ": items of your own are in the collection col:" +
                                 source.name + ", which would have its records, too");
    source.their_identifiers = options.identifiers == "theirs";
    read_spans(options, source);
    const aggregate::Normaliser tried(config.harvest.normalise, source.normalise);
    require_free_name(connection, source.name);
    if (!add_source(connection, source))
        throw std::runtime_error(source.name + ": there is a repository of this name");
    fmt::print("{} added; harvest it by: oai harvest {}\n", source.name, source.name);
    for (const std::string& prefix : source.formats)
        fmt::print(
            "{}: once there are records of it, give them out by the stylesheet that `oai "
            "repository format {}` prints\n",
            prefix, prefix);
    return kFine;
}

Source find_source(pg::Connection& connection, const std::string& name) {
    const auto found = aggregate::read_sources(connection, {name});
    if (found.empty()) throw std::runtime_error(name + ": no such repository");
    return found.front().source;
}

int change(pg::Connection& connection, const RepositoryOptions& options) {
    const Source& given = options.source;
    if (!options.new_name.empty() && options.new_name != options.name)
        require_free_name(connection, options.new_name);
    std::optional<std::int64_t> hold;
    if (!options.hold.empty()) hold = read_span("--hold", options.hold).count();
    const auto name = options.new_name.empty() ? std::nullopt : std::optional(options.new_name);
    if (connection
            .query(queries::kChangeTables, pg::Parameters().add(options.name).add(name).add(hold))
            .rows() > 0) {
        fmt::print("{} changed\n", name.value_or(options.name));
        return kFine;
    }
    Source source = find_source(connection, options.name);
    if (!options.new_name.empty()) source.name = options.new_name;
    if (!given.base_url.empty()) source.base_url = given.base_url;
    if (!given.sets.empty()) source.sets = given.sets;
    source.delete_missing =
        !options.keep_missing && (source.delete_missing || given.delete_missing);
    read_spans(options, source);
    check_source(source);
    if (!given.sets.empty()) {
        const auto [outside, all] = aggregate::count_outside(connection, source);
        fmt::print(
            "of its {} records here {} are in none of these sets: those that are in none there, "
            "either, become deleted records when all of it is harvested\n",
            all, outside);
    }
    aggregate::change_source(connection, source);
    fmt::print("{} changed\n", source.name);
    if (source.name != source.label)
        fmt::print("its records stay in col:{0}, under identifiers with {0}/\n", source.label);
    if (!given.sets.empty())
        fmt::print("take the records of its sets by: oai harvest {} --full\n", source.name);
    return kFine;
}

int list(pg::Connection& connection) {
    for (const auto& [source, due, full_due] : aggregate::read_sources(connection, {})) {
        fmt::print("{}\t{}\toai_dc", source.name, aggregate::public_url(source.base_url));
        for (const std::string& prefix : source.formats) fmt::print(" {}", prefix);
        fmt::print(
            "\t{}\tidentifiers: {}\t{}\n",
            source.sets.empty() ? "all sets" : fmt::format("{}", fmt::join(source.sets, " ")),
            source.their_identifiers ? "theirs" : "ours", due ? "due" : "not due");
    }
    const pg::Result own = own_tables(connection, "");
    for (int i = 0; i < own.rows(); ++i) fmt::print("{}\town tables (oai map)\n", own.bytes(i, 0));
    return kFine;
}

constexpr std::int64_t kMostDeletedUnasked = 10;

// Prints advice for the administrator.
void print_advice(const SourceStatus& s) {
    if (!s.set_back.empty())
        fmt::print(
            "  it was set back, as by a backup: {}; what it no longer has is still here\n"
            "    do: oai harvest {} --full --delete-missing, and --believe if it has lost most\n",
            s.set_back, s.name);
    if (!s.lost_sets.empty())
        fmt::print(
            "  it no longer has the sets {}, and was to be harvested by them, or records here are "
            "in them\n    do: oai harvest {} --full; or name its sets: oai repository change {} "
            "--set SET\n",
            fmt::join(s.lost_sets, " "), s.name, s.name);
    if (s.state == "gone")
        fmt::print(
            "  its records are still served\n    do: oai repository change {} --url URL; or oai "
            "repository remove {} --records delete, or keep\n",
            s.name, s.name);
    if (s.deleted_record == "no" && !s.is_harvested_anew)
        fmt::print(
            "  it does not tell deletions\n    do: oai repository change {} --full-interval 30d "
            "--delete-missing\n",
            s.name);
}

void print_status(const SourceStatus& s) {
    fmt::print("{}: {}\n  {}{}{}\n", s.name, aggregate::public_url(s.base_url), s.state,
               s.since.empty() ? "" : " since " + s.since,
               s.succeeded_at.empty() ? "" : "; last complete " + s.succeeded_at);
    fmt::print("  {}{}{}\n", s.outcome, s.ran_at.empty() ? "" : " " + s.ran_at,
               s.problem.empty() ? "" : ": " + s.problem);
    print_advice(s);
    if (!s.title.empty())
        fmt::print("  {}; deleted records: {}; granularity {}; {}\n", s.title, s.deleted_record,
                   s.granularity, s.admin_emails);
    fmt::print("  {} items, {} deleted\n", s.items, s.deleted);
    if (s.held > 0)
        fmt::print(
            "  {} records are deleted there and held here\n    do: nothing, or oai harvest {} "
            "--believe\n",
            s.held, s.name);
    if (s.refused_records > 0) fmt::print("  {} records could not be taken\n", s.refused_records);
    for (const aggregate::RefusedRecord& r : s.refused)
        fmt::print("    {} {}: {}{}\n", r.prefix, text::to_terminal_text(r.identifier),
                   text::to_terminal_text(r.reason),
                   r.tries > 0 ? fmt::format(" (tried {} times)", r.tries) : "");
    for (const std::string& list : s.lists) fmt::print("  {}\n", list);
}

int status(pg::Connection& connection, const std::string& name, bool metrics) {
    const auto all =
        aggregate::read_status(connection, name.empty() ? std::nullopt : std::optional(name));
    const pg::Result own = own_tables(connection, name);
    if (!name.empty() && all.empty() && own.rows() == 0)
        throw std::runtime_error(name + ": no such repository");
    if (metrics) {
        const pg::Result lines = connection.query(queries::kSourceMetrics);
        for (int i = 0; i < lines.rows(); ++i) fmt::print("{}", lines.bytes(i, 0));
        return kFine;
    }
    bool well = true;
    for (int i = 0; i < own.rows(); ++i) {
        fmt::print("{}: own tables (oai map)\n  {}{}\n  {} items\n", own.bytes(i, 0),
                   own.bytes(i, 1), own.bytes(i, 5), pg::read_integer(own.bytes(i, 2)));
        fmt::print("  {} rows could not be taken, {} items are held\n",
                   pg::read_integer(own.bytes(i, 3)), pg::read_integer(own.bytes(i, 4)));
        well &= own.bytes(i, 1) == "healthy";
    }
    for (const SourceStatus& s : all) {
        print_status(s);
        well &= s.state == "healthy" || s.state == "lying" || s.state == "new" ||
                s.state == "moving" || s.state == "quiet";
    }
    return well ? kFine : kRefused;
}

// Asks on a terminal if there is no option. Without a terminal, deletes only few records.
aggregate::RecordsFate fate_of_records(const RepositoryOptions& options, std::int64_t records) {
    std::string answer = options.records;
    if (answer.empty() && records > 0 && ::isatty(STDIN_FILENO) != 0) {
        fmt::print(
            "{} has {} records here. They can become deleted records, or stay as ours: delete or "
            "keep? [delete] ",
            options.name, records);
        std::cout.flush();
        std::fflush(stdout);
        std::getline(std::cin, answer);
        if (!answer.empty() && answer != "delete" && answer != "keep")
            throw std::runtime_error("nothing was removed");
    } else if (answer.empty() && records > kMostDeletedUnasked) {
        throw std::runtime_error(fmt::format(
            "{} has {} records here: say --records delete, or keep; nothing was removed",
            options.name, records));
    }
    return answer == "keep" ? aggregate::RecordsFate::kept : aggregate::RecordsFate::deleted;
}

int remove(pg::Connection& connection, const RepositoryOptions& options) {
    const pg::Result own = own_tables(connection, options.name);
    const Source source = own.rows() > 0 ? Source{} : find_source(connection, options.name);
    const std::int64_t records = own.rows() > 0
                                     ? pg::read_integer(own.bytes(0, 2))
                                     : aggregate::read_status(connection, options.name).at(0).items;
    const aggregate::RecordsFate fate = fate_of_records(options, records);
    const bool deletes = fate == aggregate::RecordsFate::deleted;
    const std::int64_t deleted =
        own.rows() == 0
            ? aggregate::remove_source(connection, source, fate)
            : pg::read_integer(
                  connection
                      .query(queries::kRemoveTables,
                             pg::Parameters().add(options.name).add(deletes ? "t" : "f"))
                      .bytes(0, 0));
    fmt::print("{} removed; {} records deleted, {} kept\n", options.name, deleted,
               records - deleted);
    return kFine;
}

int duplicates(pg::Connection& connection, const Config& config) {
    const std::string prefix = "oai:" + config.repository.identifier_namespace + ":";
    const pg::Result rows = connection.query(queries::kDuplicates);
    for (int i = 0; i < rows.rows(); ++i)
        fmt::print("{}\t{}\t{}\t{}\n", identifier_text(prefix, std::string(rows.bytes(i, 2))),
                   identifier_text(prefix, std::string(rows.bytes(i, 3))), rows.bytes(i, 0),
                   rows.bytes(i, 1));
    return kFine;
}

std::string attribute(std::string_view value) {
    std::string out;
    xml::append_attribute(out, value);
    return out;
}

// According to a source, or else to a sample record.
harvest::FormatInfo format_of(pg::Connection& connection, const std::string& prefix,
                              const xmlDoc* sample) {
    const pg::Result noted = connection.query(queries::kNotedFormat, pg::Parameters().add(prefix));
    if (noted.rows() > 0)
        return {prefix, std::string(noted.bytes(0, 0)), std::string(noted.bytes(0, 1))};
    const std::string name_space = xml::root_namespace(sample);
    return {prefix, name_space, name_space};
}

int print_format(pg::Connection& connection, const std::string& prefix) {
    const pg::Result sample = connection.query(queries::kSample, pg::Parameters().add(prefix));
    if (sample.rows() == 0)
        throw std::runtime_error(prefix + ": no record of this format has been harvested yet");
    const xml::DocumentHandle document = xml::parse_memory(std::string(sample.bytes(0, 0)), prefix);
    const harvest::FormatInfo format = format_of(connection, prefix, document.get());
    const std::string root = xml::root_namespace(document.get());
    fmt::print(
        R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- Harvested records of the format {0}, given out as they came. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <f:format prefix="{0}" schema="{1}" namespace="{2}"{3} requires="{4}"
            unchanged="yes"/>
  <xsl:template match="record"><xsl:copy-of select="{4}/*"/></xsl:template>
</xsl:stylesheet>
)",
        attribute(prefix), attribute(format.schema), attribute(format.name_space),
        root == format.name_space ? "" : " root-namespace=\"" + attribute(root) + "\"",
        attribute(connection.query(queries::kColumnOf, pg::Parameters().add(prefix)).bytes(0, 0)));
    return kFine;
}

}  // namespace

int command_repository(const Invocation& invocation) {
    RepositoryOptions options = read_repository_options(invocation);
    const Config config = configuration(invocation);
    if (config.loader.connection.empty())
        throw ConfigError(invocation.config_path +
                          ": [loader] connection: required by `oai repository`");
    xml::initialise();
    pg::Connection connection(config.loader.connection, "oai repository");
    aggregate::require_library(connection);
    if (options.action == "add") return add(connection, config, options);
    if (options.action == "change") return change(connection, options);
    if (options.action == "list") return list(connection);
    if (options.action == "status") return status(connection, options.name, options.metrics);
    if (options.action == "remove") return remove(connection, options);
    if (options.action == "duplicates") return duplicates(connection, config);
    return print_format(connection, options.prefix);
}

}  // namespace oai::command
