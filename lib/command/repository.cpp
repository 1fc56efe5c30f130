// SPDX-License-Identifier: MIT
// oai repository add|change|list|status|remove|duplicates|format: the repositories that this one
// harvests (model library).
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "base/text.h"
#include "command/command.h"
#include "command/queries.h"
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
    std::string records;                           // remove: "delete" or "keep"; "" to be asked for
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
          "Call it so; its set and the identifiers of its records stay as they are"},
         {"--url", &o.source.base_url, "It has moved to this base URL"},
         {"--set", &o.source.sets, "Harvest these sets in the place of those before"},
         {"--interval", &o.interval, kInterval},
         {"--overlap", &o.overlap, kOverlap},
         {"--full-interval", &o.full_interval, kFullInterval},
         {"--delete-missing", &o.source.delete_missing, kDeleteMissing},
         {"--keep-missing", &o.keep_missing, "No longer do so", excludes("--delete-missing")}}};
    o.action =
        parse(invocation, "The repositories that this one harvests, and what came of it.", {},
              {add,
               change,
               {"list", "One line for each."},
               {"status",
                "How each of them is, and how far its lists are harvested.",
                {{"NAME", &o.name, "One of them; all without it"},
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

// Refuses in words what the tables would refuse.
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

int add(pg::Connection& connection, const Config& config, RepositoryOptions& options) {
    Source& source = options.source;
    check_source(source);
    if (aggregate::is_own_collection(connection, source.name))
        throw std::runtime_error(source.name + ": items of your own are in the collection col:" +
                                 source.name + ", which would have its records, too");
    source.their_identifiers = options.identifiers == "theirs";
    read_spans(options, source);
    const aggregate::Normaliser tried(config.harvest.normalise, source.normalise);
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
    Source source = find_source(connection, options.name);
    const Source& given = options.source;
    const std::string before = source.name;
    if (!options.new_name.empty()) source.name = options.new_name;
    if (source.name != before && !aggregate::read_sources(connection, {source.name}).empty())
        throw std::runtime_error(source.name + ": there is a repository of this name");
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
    return kFine;
}

constexpr std::int64_t kMostDeletedUnasked = 10;

// What an administrator can do about it.
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
    for (const aggregate::ListStatus& l : s.lists) {
        fmt::print("  {}{}{}: ", l.prefix, l.set_spec.empty() ? "" : " set=", l.set_spec);
        if (l.walking)
            fmt::print("stopped after {}{} records", l.records,
                       l.list_size ? fmt::format(" of {}", *l.list_size) : "");
        else
            fmt::print("{} records in the last harvest", l.records);
        if (l.pages_missing > 0) fmt::print(", {} pages missing", l.pages_missing);
        fmt::print(", {}\n",
                   l.complete.empty() ? "never complete" : "complete up to " + l.complete);
    }
}

// In the text format of Prometheus. Names of sources need no escaping.
void print_metrics(const std::vector<SourceStatus>& all) {
    const auto print = [&](const char* name, const char* help, const auto& value) {
        fmt::print("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
        for (const SourceStatus& s : all)
            fmt::print("{}{{source=\"{}\",state=\"{}\"}} {}\n", name, s.name, s.state, value(s));
    };
    print(
        "oai_source_items", "Items that come from the source and are not deleted.",
        [](const SourceStatus& s) { return s.items; });
    print(
        "oai_source_refused_records", "Records that could not be taken.",
        [](const SourceStatus& s) { return s.refused_records; });
    print(
        "oai_source_held_records", "Records that are deleted there, and held here.",
        [](const SourceStatus& s) { return s.held; });
    print(
        "oai_source_changed_seconds",
        "When a harvest last changed something, in seconds since 1970; 0: never.",
        [](const SourceStatus& s) { return s.changed_at; });
    print("oai_source_usual_seconds", "Time after which it usually changes again; 0: unknown.",
          [](const SourceStatus& s) { return s.usual_seconds; });
}

int status(pg::Connection& connection, const std::string& name, bool metrics) {
    const auto all =
        aggregate::read_status(connection, name.empty() ? std::nullopt : std::optional(name));
    if (!name.empty() && all.empty()) throw std::runtime_error(name + ": no such repository");
    if (metrics) return print_metrics(all), kFine;
    bool well = true;
    for (const SourceStatus& s : all) {
        print_status(s);
        well &= s.state == "healthy" || s.state == "lying" || s.state == "new" ||
                s.state == "moving" || s.state == "quiet";
    }
    return well ? kFine : kRefused;
}

// Asks on a terminal if no option says it; without a terminal, only few records become deleted
// records unasked.
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
    const Source source = find_source(connection, options.name);
    const std::int64_t records = aggregate::count_records(connection, source);
    const aggregate::RecordsFate fate = fate_of_records(options, records);
    const std::int64_t deleted = aggregate::remove_source(connection, source, fate);
    fmt::print("{} removed; {} records deleted, {} kept\n", source.name, deleted,
               records - deleted);
    return kFine;
}

int duplicates(pg::Connection& connection, const Config& config) {
    const std::string prefix = "oai:" + config.repository.identifier_namespace + ":";
    for (const aggregate::Duplicate& d : aggregate::find_duplicates(connection))
        fmt::print("{}\t{}\t{}\t{}\n", identifier_text(prefix, d.first_local_id),
                   identifier_text(prefix, d.local_id), d.reason, d.value);
    return kFine;
}

std::string attribute(std::string_view value) {
    std::string out;
    xml::append_attribute(out, value);
    return out;
}

// The schema's address for this namespace in the root's xsi:schemaLocation; "" if it has none.
std::string schema_of(const xmlDoc* document, const std::string& name_space) {
    for (const xmlAttr* a = xmlDocGetRootElement(document)->properties; a != nullptr; a = a->next) {
        if (xml::view(a->name) != "schemaLocation" || a->children == nullptr) continue;
        std::istringstream words(std::string(xml::view(a->children->content)));
        for (std::string first, second; words >> first >> second;)
            if (first == name_space) return second;
    }
    return "";
}

// By what a source says of it, else by the sample.
harvest::FormatInfo format_of(pg::Connection& connection, const std::string& prefix,
                              const xmlDoc* sample) {
    const pg::Result noted = connection.query(queries::kNotedFormat, pg::Parameters().add(prefix));
    if (noted.rows() > 0)
        return {prefix, std::string(noted.bytes(0, 0)), std::string(noted.bytes(0, 1))};
    const std::string name_space = xml::root_namespace(sample);
    const std::string schema = schema_of(sample, name_space);
    return {prefix, schema.empty() ? name_space : schema, name_space};
}

int print_format(pg::Connection& connection, const std::string& prefix) {
    const std::string payload = aggregate::sample_payload(connection, prefix);
    if (payload.empty())
        throw std::runtime_error(prefix + ": no record of this format has been harvested yet");
    const xml::DocumentHandle document = xml::parse_memory(payload, prefix);
    const harvest::FormatInfo format = format_of(connection, prefix, document.get());
    const std::string root = xml::root_namespace(document.get());
    fmt::print(R"(<?xml version="1.0" encoding="UTF-8"?>
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
               attribute(aggregate::column_of(connection, prefix)));
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
