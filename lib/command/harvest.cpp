// SPDX-License-Identifier: MIT
// oai harvest: URLs into files, sources of `oai repository` into the database.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "command/command.h"
#include "command/parallel_harvest.h"
#include "tools/aggregate/database_sink.h"
#include "tools/aggregate/sources.h"
#include "tools/dump/dump.h"
#include "tools/harvest/file_sink.h"
#include "tools/harvest/sink.h"
#include "tools/http_client/client.h"
#include "xml/document.h"

namespace oai::command {
namespace {

using aggregate::Source;
using harvest::HarvestProgress;
using harvest::HarvestResult;

constexpr int kBatchRecords = 5000;

struct HarvestOptions {
    std::vector<std::string> names;  // base URLs, or names of repositories in the database
    // The request for each repository. For sources in the database, their settings replace all
    // members but retry limits, full and max_records.
    harvest::HarvestRequest request;
    std::string output;  // a file, or an existing directory (a file a list)
    std::string since;   // the file of an earlier harvest, to fetch what has changed since
    std::string dump;    // directory or URL of a dump, which is loaded first
    int parallel = 4;    // maximum of hosts at a time
    bool quiet = false;  // no progress
    http::ClientOptions client;
    std::string contact;
    std::int64_t overlap_seconds = 60, first_wait_seconds = 2, longest_wait_seconds = 600,
                 timeout_seconds = 120, page_megabytes = 100;
    bool sets = false, formats = false;
    bool all = false, due = false, delete_missing = false, believe = false;
};

std::vector<Option> selection_options(HarvestOptions& o) {
    harvest::HarvestRequest& request = o.request;
    return {{"URL", &o.names,
             "Base URLs of repositories; or names known to oai repository, to harvest into the "
             "database"},
            {"--all", &o.all, "Into the database: all repositories known to oai repository"},
            {"--due", &o.due,
             "Into the database: those whose interval since the last harvest has passed"},
            {"--output", &o.output, "The file to write, or a directory for one file per list"},
            {"--format",
             &request.prefixes,
             "A metadataPrefix; may be repeated",
             {.default_text = "oai_dc"}},
            {"--set", &request.set_specs, "A setSpec; may be repeated"},
            {"--from", &request.from, "Only records changed at or after this datestamp"},
            {"--since", &o.since, "Only records changed since the harvest that wrote this file",
             excludes("--from")},
            {"--from-dump", &o.dump,
             "Begin by the dump in this directory or at this URL (oai dump); into the database the "
             "harvest goes on from its horizon, and from a file by --since"},
            {"--until", &request.until, "Only records changed at or before this datestamp"},
            {"--full", &request.full, "From the beginning, regardless of earlier harvests"},
            {"--delete-missing", &o.delete_missing,
             "Into the database: delete records that are no longer listed", needs("--full")},
            {"--believe", &o.believe,
             "Into the database: delete records even if most or all of them are missing"},
            {"--max-records", &request.max_records,
             "Stop after the page that contains this record; the same command resumes there",
             kPositive},
            {"--sets", &o.sets, "Only list the sets"},
            {"--formats", &o.formats, "Only list the formats"}};
}

std::vector<Option> transfer_options(HarvestOptions& o) {
    return {{"--overlap", &o.overlap_seconds, "With --since: begin this many seconds earlier",
             kNotNegative},
            {"--parallel", &o.parallel, "Maximum number of hosts harvested at a time",
             in_range(1, 64, false)},
            {"--tries", &o.request.retry_limits.tries,
             "Number of attempts for a request before giving up", in_range(1, 1000, false)},
            {"--first-wait", &o.first_wait_seconds,
             "Seconds before the first retry, doubled each time", kNotNegative},
            {"--longest-wait", &o.longest_wait_seconds,
             "Maximum seconds before a retry, even if Retry-After is longer", kNotNegative},
            {"--timeout", &o.timeout_seconds,
             "Seconds without receiving a byte before a connection counts as broken", kPositive},
            {"--page-limit", &o.page_megabytes, "Maximum size of an answer, in megabytes",
             in_range(1, 1024, false)},
            {"--contact", &o.contact, "A contact URL for operators, sent in User-Agent"},
            {"--mail", &o.client.from, "A contact address for operators, sent in From"},
            {"-q,--quiet", &o.quiet, "Print no progress"}};
}

HarvestOptions read_harvest_options(const Invocation& invocation) {
    HarvestOptions o;
    std::vector<Option> table = selection_options(o);
    for (Option& option : transfer_options(o)) table.push_back(std::move(option));
    parse(invocation, "Harvests other repositories.", std::move(table));
    harvest::HarvestRequest& request = o.request;
    if (request.prefixes.empty()) request.prefixes = {"oai_dc"};
    if (request.set_specs.empty()) request.set_specs = {""};
    request.overlap = std::chrono::seconds{o.overlap_seconds};
    request.retry_limits.first_wait = std::chrono::seconds{o.first_wait_seconds};
    request.retry_limits.longest_wait = std::chrono::seconds{o.longest_wait_seconds};
    o.client.stall_timeout = std::chrono::seconds{o.timeout_seconds};
    o.client.timeout = std::chrono::minutes{30};
    o.client.max_bytes = o.page_megabytes << 20;
    o.client.limit_name = " (--page-limit)";
    return o;
}

bool is_mail(const std::string& contact) {
    return !contact.empty() && contact.find("://") == contact.npos;
}

void name_contact(http::ClientOptions& client, const std::string& contact) {
    if (!contact.empty())
        client.user_agent += (is_mail(contact) ? " (+mailto:" : " (+") + contact + ")";
}

// Takes the contact from the configuration unless the command line has one.
void name_contact(http::ClientOptions& client, const std::string& said, const Config& config) {
    const auto& admins = config.repository.admin_email;
    const std::string admin = admins.empty() ? "" : admins.front();
    const std::string contact = config.harvest.contact.empty() ? admin : config.harvest.contact;
    if (client.from.empty()) client.from = is_mail(contact) ? contact : admin;
    name_contact(client, said.empty() ? contact : said);
}

// Prints the sets or formats of one repository.
void print_description(const HarvestOptions& options, const std::string& url) {
    http::Client client(options.client);
    const harvest::RetryLimits& limits = options.request.retry_limits;
    HarvestProgress progress(stderr, true, url, [] { return false; });
    if (options.formats)
        for (const auto& f : harvest::list_formats(client, url, limits, progress))
            fmt::print("{}\t{}\t{}\n", f.prefix, f.name_space, f.schema);
    if (options.sets)
        for (const auto& s : harvest::list_sets(client, url, limits, progress))
            fmt::print("{}\t{}\n", s.spec, s.name);
}

int print_descriptions(const HarvestOptions& options) {
    xml::initialise();
    int status = kFine;
    for (const std::string& url : options.names) {
        try {
            print_description(options, url);
        } catch (const std::exception& e) {
            print_problem(std::string("harvest: ") + e.what(), "OAI-1599");
            status = kRefused;
        }
    }
    return status;
}

[[noreturn]] void refuse(const std::string& why) { throw UsageError("harvest: " + why); }

// "example.org_oai.oai_dc.xml": the list's file in a directory.
std::string list_file_name(const std::string& url, const std::string& prefix,
                           const std::string& set_spec) {
    const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
    std::string name = url.substr(begin) + "." + prefix + (set_spec.empty() ? "" : "." + set_spec);
    static const RE2 kOdd("[^A-Za-z0-9._-]", RE2::Latin1);
    RE2::GlobalReplace(&name, kOdd, "_");
    return name + ".xml";
}

struct ListHarvest {
    std::string url, prefix, set_spec;
    std::string path;
};

std::vector<ListHarvest> lists_of(const HarvestOptions& what) {
    const bool directory = std::filesystem::is_directory(what.output);
    std::vector<ListHarvest> lists;
    for (const std::string& url : what.names)
        for (const std::string& prefix : what.request.prefixes)
            for (const std::string& set : what.request.set_specs)
                lists.push_back({url, prefix, set,
                                 directory ? (std::filesystem::path(what.output) /
                                              list_file_name(url, prefix, set))
                                                 .string()
                                           : what.output});
    if (lists.size() < 2 || (directory && what.since.empty())) return lists;
    refuse(fmt::format("{}; these are {}",
                       directory ? "--since: a file tells of one list"
                                 : "--output: a file takes one list, more want a directory",
                       lists.size()));
}

// "complete: 5 records, 1 of them deleted", the counts in `own`, and oddities.
std::string summary(const HarvestResult& outcome, const std::string& own) {
    const bool is_resumed = outcome.all_records > outcome.records;
    std::string out = fmt::format(
        "{}: {} records{}, {} of them deleted{}", harvest::word_of(outcome.kind),
        outcome.all_records, is_resumed ? fmt::format(" ({} in this run)", outcome.records) : "",
        outcome.all_deleted, own);
    for (const std::string& wrong : {harvest::mismatches_text(outcome), outcome.why})
        if (!wrong.empty()) out += "; " + wrong;
    return out;
}

std::optional<std::string> last_complete(const HarvestOptions& what, const ListHarvest& list) {
    if (what.since.empty()) return std::nullopt;
    return harvest::response_date_of(what.since, list.url, list.prefix, list.set_spec);
}

std::int64_t begin_by_dump(const HarvestOptions& what, http::Client& client,
                           const harvest::HarvestRequest& request, harvest::Sink& sink,
                           HarvestProgress& progress) {
    const auto identity = harvest::identify(client, request.url, request.retry_limits, progress);
    sink.identity(identity);
    if (request.with_sets)
        sink.sets(harvest::list_sets(client, request.url, request.retry_limits, progress));
    if (request.prefixes.size() > 1)
        sink.formats(harvest::list_formats(client, request.url, request.retry_limits, progress));
    return dump::begin_harvest(what.dump, what.client, identity, request.prefixes, sink, progress);
}

HarvestTask::Result harvest_list(const HarvestOptions& what, const ListHarvest& list,
                                 HarvestProgress& progress) {
    harvest::FileSink sink(list.path, last_complete(what, list));
    harvest::HarvestRequest request = what.request;
    request.url = list.url;
    request.prefixes = {list.prefix};
    request.set_specs = {list.set_spec};
    http::Client client(what.client);
    if (!what.dump.empty()) {
        const auto records = begin_by_dump(what, client, request, sink, progress);
        return {true, fmt::format("complete: {} records of the dump; in {}", records, list.path)};
    }
    const HarvestResult outcome = harvest::harvest(client, request, sink, progress);
    std::string own = fmt::format(", in {} pages", outcome.all_pages);
    if (outcome.repaired > 0) own += fmt::format("; {} characters repaired", outcome.repaired);
    std::string text = summary(outcome, own);
    if (!sink.written().empty()) text += "; in " + sink.written();
    return {outcome.kind == HarvestResult::Kind::complete, std::move(text)};
}

int harvest_files(const HarvestOptions& what) {
    const std::vector<ListHarvest> lists = lists_of(what);
    std::vector<HarvestTask> tasks;
    for (auto list = lists.begin(); list != lists.end(); ++list) {
        if (std::any_of(lists.begin(), list, [&](const auto& l) { return l.path == list->path; }))
            throw std::runtime_error("harvest: two lists would be written to " + list->path);
        tasks.push_back(
            {.url = list->url, .name = list->url, .run = [&what, list](HarvestProgress& progress) {
                 return harvest_list(what, *list, progress);
             }});
    }
    xml::initialise();
    return run_harvests(tasks, what.parallel, what.quiet) ? kFine : kRefused;
}

std::string counts_text(const aggregate::WriteCounts& counts,
                        const aggregate::Departures& departures) {
    std::string out = fmt::format(" ({} new, {} changed", counts.inserted, counts.updated);
    if (departures.gone > 0) out += fmt::format(", {} deleted", departures.gone);
    if (counts.left_deleted > 0) out += fmt::format(", {} deleted here", counts.left_deleted);
    if (counts.refused > 0) out += fmt::format(", {} could not be taken", counts.refused);
    out += ")";
    if (departures.held > 0)
        out +=
            fmt::format("; {} records are deleted there, most of what is here: held for 20 hours",
                        departures.held);
    return out;
}

// Returns signs that the repository was reset since the last harvest, or "".
std::string signs_of_setback(const HarvestOptions& what, const Source& source,
                             const HarvestResult& outcome, http::Client& client,
                             const aggregate::DatabaseSink& sink, HarvestProgress& progress) {
    const auto known = sink.unmet_newest();
    if (!known) return "";
    if (outcome.whole && outcome.all_records == 0) return "it has no records any more";
    try {
        return harvest::find_setback(client, source.base_url, what.request.retry_limits, progress,
                                     *known, sink.deleted_record());
    } catch (const std::runtime_error&) {
        return "";
    }
}

HarvestTask::Result harvest_source(const Config& config, const HarvestOptions& what,
                                   const aggregate::ScheduledSource& scheduled,
                                   HarvestProgress& progress) {
    Source source = scheduled.source;
    // For a source by sets, records that are in none of the sets any more are removed.
    source.delete_missing |= !source.sets.empty();
    const auto began = std::chrono::steady_clock::now();
    pg::Connection connection(config.loader.connection, "oai harvest");
    const aggregate::Normaliser normaliser(config.harvest.normalise, source.normalise);
    const aggregate::DatabaseSinkOptions sink_options{
        "oai:" + config.repository.identifier_namespace + ":",
        std::min(config.loader.slice_records, kBatchRecords), what.believe,
        config.repository.base_url};
    http::Client client(what.client);
    harvest::HarvestRequest request = what.request;
    request.url = source.base_url;
    request.prefixes = {aggregate::kDescriptionPrefix};
    request.prefixes.insert(request.prefixes.end(), source.formats.begin(), source.formats.end());
    request.set_specs = source.sets;
    request.with_sets = true;
    request.departures = !source.sets.empty();
    request.overlap = source.overlap;
    request.whole = what.due && scheduled.full_due;
    if (!what.dump.empty()) {
        if (!source.sets.empty())
            throw std::runtime_error("--from-dump is not for a repository of which sets are taken");
        aggregate::DatabaseSink sink(connection, source, normaliser, progress, sink_options);
        const auto records = begin_by_dump(what, client, request, sink, progress);
        sink.flush();
        progress.note(fmt::format("{} records of the dump", records));
    }
    aggregate::DatabaseSink sink(connection, source, normaliser, progress, sink_options);
    aggregate::SourceRun run{harvest::harvest(client, request, sink, progress)};
    sink.flush();
    const bool is_complete = run.outcome.kind == HarvestResult::Kind::complete;
    const auto departures = aggregate::depart(connection, source, what.believe);
    const bool is_empty = run.outcome.all_records == 0 && !what.believe;
    run.deleted_missing = is_complete && run.outcome.whole && run.outcome.moved == 0 &&
                          source.delete_missing && !is_empty;
    if (is_complete && !run.deleted_missing)
        run.set_back = signs_of_setback(what, source, run.outcome, client, sink, progress);
    run.seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
    run.changed = sink.counts().inserted + sink.counts().updated + departures.gone;
    aggregate::note_run(connection, source, run);
    const std::string mend = run.set_back.empty()
                                 ? ""
                                 : "; it was set back: " + run.set_back + "; oai harvest " +
                                       source.name +
                                       " --full --delete-missing makes it what it is there";
    return {is_complete, summary(run.outcome, counts_text(sink.counts(), departures)) + mend};
}

std::vector<aggregate::ScheduledSource> select_sources(const Config& config,
                                                       const HarvestOptions& what) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    aggregate::require_library(connection);
    const auto known = aggregate::read_sources(connection, what.names);
    for (const std::string& name : what.names)
        if (std::none_of(known.begin(), known.end(),
                         [&](const auto& k) { return k.source.name == name; }))
            throw std::runtime_error(name + ": no such repository; oai repository list has them");
    std::vector<aggregate::ScheduledSource> sources;
    for (aggregate::ScheduledSource k : known) {
        k.source.delete_missing |= what.delete_missing;
        if (k.due || !what.due) sources.push_back(std::move(k));
    }
    return sources;
}

// Harvests several sources at a time, but one at a time per host; SIGTERM and SIGINT end it.
int harvest_sources(const Invocation& invocation, HarvestOptions& what) {
    const Config config = configuration(invocation);
    name_contact(what.client, what.contact, config);
    what.client.allow_private = config.harvest.allow_private;
    if (config.loader.connection.empty())
        throw ConfigError(invocation.config_path +
                          ": [loader] connection: required to harvest into the database");
    xml::initialise();
    const std::vector<aggregate::ScheduledSource> sources = select_sources(config, what);
    std::vector<HarvestTask> tasks;
    for (const aggregate::ScheduledSource& source : sources)
        tasks.push_back({.url = source.source.base_url,
                         .name = source.source.name,
                         .run = [&](HarvestProgress& progress) {
                             return harvest_source(config, what, source, progress);
                         }});
    return run_harvests(tasks, config.harvest.repositories, what.quiet) ? kFine : kRefused;
}

// Whether the arguments are names of repositories; base URLs contain "://".
bool wants_database(const HarvestOptions& options) {
    const auto& given = options.names;
    if (options.all || options.due) return true;
    return options.output.empty() && !options.sets && !options.formats && !given.empty() &&
           std::none_of(given.begin(), given.end(),
                        [](const auto& g) { return g.find("://") != g.npos; });
}

}  // namespace

int command_harvest(const Invocation& invocation) {
    HarvestOptions options = read_harvest_options(invocation);
    const harvest::HarvestRequest& request = options.request;
    if (!options.dump.empty() &&
        (options.names.size() != 1 || request.full || !options.since.empty() ||
         !request.from.empty() || !request.until.empty() || request.set_specs.front() != ""))
        refuse("--from-dump is for all records of one repository");
    if (wants_database(options)) return harvest_sources(invocation, options);
    name_contact(options.client, options.contact);
    if (options.names.empty()) refuse("URLs or names of repositories are missing, or --all");
    if (options.sets || options.formats) return print_descriptions(options);
    if (options.delete_missing || options.believe)
        refuse("--delete-missing and --believe are for harvests into the database");
    if (options.output.empty()) refuse("--output is missing: where the records go");
    if (options.output == "-") refuse("--output is a file, since a list may have to begin again");
    if (options.output.ends_with(".gz") && !std::filesystem::is_directory(options.output))
        refuse("--output: what is written is plain XML; name it without .gz, and compress it then");
    return harvest_files(options);
}

}  // namespace oai::command
