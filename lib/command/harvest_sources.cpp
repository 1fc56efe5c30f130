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

HarvestTask::Result harvest_source(const Config& config, const SourceHarvest& what,
                                   const Source& source, harvest::HarvestProgress& progress) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    const aggregate::Normaliser normaliser(config.harvest.normalise, source.normalise);
    aggregate::DatabaseSink sink(connection, source, normaliser, progress,
                                 {"oai:" + config.repository.identifier_namespace + ":",
                                  std::min(config.loader.slice_records, kBatchRecords)});
    http::Client client(what.client);
    const harvest::HarvestResult outcome =
        harvest::harvest(client, request_for(what, source), sink, progress);
    sink.flush();
    aggregate::note_run(connection, source, outcome);
    return {outcome.kind == harvest::HarvestResult::Kind::complete,
            summary(outcome, sink.counts())};
}

std::vector<Source> select_sources(const Config& config, const SourceHarvest& what) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    aggregate::require_library(connection);
    const auto known = aggregate::read_sources(connection, what.names);
    for (const std::string& name : what.names)
        if (std::none_of(known.begin(), known.end(),
                         [&](const auto& k) { return k.source.name == name; }))
            throw std::runtime_error(name + ": no such repository; oai repository list has them");
    std::vector<Source> sources;
    for (const aggregate::ScheduledSource& k : known)
        if (k.due || !what.due) sources.push_back(k.source);
    return sources;
}

}  // namespace

int harvest_sources(const Config& config, const std::string& config_path,
                    const SourceHarvest& what) {
    if (config.loader.connection.empty())
        throw ConfigError(config_path +
                          ": [loader] connection: required to harvest into the database");
    xml::initialise();
    const std::vector<Source> sources = select_sources(config, what);
    std::vector<HarvestTask> tasks;
    for (const Source& source : sources)
        tasks.push_back({.url = source.base_url,
                         .name = source.name,
                         .run = [&](harvest::HarvestProgress& progress) {
                             return harvest_source(config, what, source, progress);
                         }});
    const bool well = run_harvests(tasks, config.harvest.repositories, {what.quiet, what.terminal});
    return well ? kFine : kRefused;
}

}  // namespace oai::command
