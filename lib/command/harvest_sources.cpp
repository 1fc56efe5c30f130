// SPDX-License-Identifier: MIT
#include "command/harvest_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "command/command.h"
#include "command/parallel_harvest.h"
#include "tools/aggregate/database_sink.h"
#include "tools/aggregate/sources.h"
#include "xml/document.h"

namespace oai::command {
namespace {

using aggregate::Source;

constexpr int kBatchRecords = 5000;

std::string summary(const harvest::HarvestResult& outcome, const aggregate::WriteCounts& counts) {
    std::string out = fmt::format("{} ({} new, {} changed", outcome_text(outcome), counts.inserted,
                                  counts.updated);
    if (counts.missing > 0) out += fmt::format(", {} no longer found", counts.missing);
    if (counts.left_deleted > 0) out += fmt::format(", {} deleted here", counts.left_deleted);
    if (counts.refused > 0) out += fmt::format(", {} refused", counts.refused);
    const std::string maladies = harvest::maladies_of(outcome);
    return out + ")" + (maladies.empty() ? "" : "; " + maladies) +
           (outcome.why.empty() ? "" : "; " + outcome.why);
}

harvest::HarvestRequest request_for(const SourceHarvest& what, const Source& source) {
    harvest::HarvestRequest request = what.request;
    request.url = source.base_url;
    request.prefixes = {aggregate::kDescriptionPrefix};
    request.prefixes.insert(request.prefixes.end(), source.formats.begin(), source.formats.end());
    request.set_specs = source.sets;
    request.with_sets = true;
    request.overlap = source.overlap;
    return request;
}

// Whether the repository is still what was harvested. One that does not answer this says nothing.
std::string signs_of_setback(const SourceHarvest& what, const Source& source,
                             const harvest::HarvestResult& outcome, http::Client& client,
                             const aggregate::DatabaseSink& sink,
                             harvest::HarvestProgress& progress) {
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

HarvestTask::Result harvest_source(const Config& config, const SourceHarvest& what,
                                   const aggregate::ScheduledSource& scheduled,
                                   harvest::HarvestProgress& progress) {
    const Source& source = scheduled.source;
    const auto began = std::chrono::steady_clock::now();
    pg::Connection connection(config.loader.connection, "oai harvest");
    const aggregate::Normaliser normaliser(config.harvest.normalise, source.normalise);
    aggregate::DatabaseSink sink(
        connection, source, normaliser, progress,
        {"oai:" + config.repository.identifier_namespace + ":",
         std::min(config.loader.slice_records, kBatchRecords), what.delete_missing});
    http::Client client(what.client);
    harvest::HarvestRequest request = request_for(what, source);
    request.whole = what.due && scheduled.full_due;
    aggregate::SourceRun run{harvest::harvest(client, request, sink, progress)};
    sink.flush();
    const bool is_complete = run.outcome.kind == harvest::HarvestResult::Kind::complete;
    const bool is_empty = run.outcome.all_records == 0 && !what.delete_missing;
    run.deleted_missing = is_complete && run.outcome.whole && source.delete_missing && !is_empty;
    if (is_complete && !run.deleted_missing)
        run.set_back = signs_of_setback(what, source, run.outcome, client, sink, progress);
    run.seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
    aggregate::note_run(connection, source, run);
    const std::string mend = run.set_back.empty()
                                 ? ""
                                 : "; it was set back: " + run.set_back + "; oai harvest " +
                                       source.name +
                                       " --full --delete-missing makes it what it is there";
    return {is_complete, summary(run.outcome, sink.counts()) + mend};
}

std::vector<aggregate::ScheduledSource> select_sources(const Config& config,
                                                       const SourceHarvest& what) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    aggregate::require_library(connection);
    const auto known = aggregate::read_sources(connection, what.names);
    for (const std::string& name : what.names)
        if (std::none_of(known.begin(), known.end(),
                         [&](const auto& k) { return k.source.name == name; }))
            throw std::runtime_error(name + ": no such repository; oai repository list has them");
    std::vector<aggregate::ScheduledSource> sources;
    for (aggregate::ScheduledSource k : known) {
        if (what.delete_missing && !k.source.sets.empty())
            throw std::runtime_error(
                k.source.name +
                ": --delete-missing is for whole repositories, and of this one "
                "sets are harvested");
        k.source.delete_missing |= what.delete_missing;
        if (k.due || !what.due) sources.push_back(std::move(k));
    }
    return sources;
}

}  // namespace

int harvest_sources(const Config& config, const std::string& config_path,
                    const SourceHarvest& what) {
    if (config.loader.connection.empty())
        throw ConfigError(config_path +
                          ": [loader] connection: required to harvest into the database");
    xml::initialise();
    const std::vector<aggregate::ScheduledSource> sources = select_sources(config, what);
    std::vector<HarvestTask> tasks;
    for (const aggregate::ScheduledSource& source : sources)
        tasks.push_back({.url = source.source.base_url,
                         .name = source.source.name,
                         .run = [&](harvest::HarvestProgress& progress) {
                             return harvest_source(config, what, source, progress);
                         }});
    const bool well = run_harvests(tasks, config.harvest.repositories, {what.quiet, what.terminal});
    return well ? kFine : kRefused;
}

}  // namespace oai::command
