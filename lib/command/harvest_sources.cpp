// SPDX-License-Identifier: MIT
#include "command/harvest_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>

#include "aggregate/database_sink.h"
#include "aggregate/sources.h"
#include "base/text.h"
#include "command/command.h"
#include "command/hosts.h"
#include "command/stop_signals.h"
#include "harvest/progress.h"
#include "xml/document.h"

namespace oai::command {
namespace {

using aggregate::Source;

constexpr int kBatchRecords = 5000;

std::string summary(const harvest::Outcome& outcome, const aggregate::Tally& tally) {
    std::string out = fmt::format("{}: {} records, {} of them deleted ({} new, {} changed", harvest::word_of(outcome.kind),
                                  outcome.records, outcome.deleted, tally.inserted, tally.updated);
    if (tally.missing > 0) out += fmt::format(", {} no longer found", tally.missing);
    if (tally.left_deleted > 0) out += fmt::format(", {} deleted here", tally.left_deleted);
    if (tally.refused > 0) out += fmt::format(", {} refused", tally.refused);
    return out + ")" + (outcome.why.empty() ? "" : "; " + outcome.why);
}

class Harvesting {
  public:
    Harvesting(const Config& config, const SourceHarvest& what) : config_(config), what_(what) {}

    bool run(const std::vector<Source>& sources) {
        std::vector<HostTask> tasks;
        for (const Source& source : sources) tasks.push_back({source.base_url, [this, &source] { run_one(source); }});
        alone_ = count_hosts(tasks) == 1;
        run_by_host(tasks, config_.harvest.repositories);
        return well_;
    }

  private:
    // What goes wrong with one repository is that one's problem.
    void run_one(const Source& source) {
        try {
            if (!signals_.asked() && harvest_one(source)) return;
        } catch (const std::exception& e) {
            say(source, e.what());
        }
        well_ = false;
    }

    bool harvest_one(const Source& source) {
        pg::Connection connection(config_.loader.connection, "oai harvest");
        const aggregate::Normaliser normaliser(config_.harvest.normalise, source.normalise);
        harvest::Progress progress(stderr, shown(), source.name, [this] { return signals_.asked(); });
        aggregate::DatabaseSink sink(connection, source, normaliser, progress,
                                     {"oai:" + config_.repository.identifier_namespace + ":",
                                      std::min(config_.loader.slice_records, kBatchRecords)});
        http::Client client(what_.client);
        const harvest::Outcome outcome = harvest::harvest(client, wish_of(source), sink, progress);
        sink.flush();
        aggregate::note_run(connection, source, outcome);
        progress.wipe();
        say(source, summary(outcome, sink.tally()));
        return outcome.kind == harvest::Outcome::Kind::complete;
    }

    harvest::Wish wish_of(const Source& source) const {
        harvest::Wish wish = what_.wish;
        wish.url = source.base_url;
        wish.prefixes = {aggregate::kDescribing};
        wish.prefixes.insert(wish.prefixes.end(), source.formats.begin(), source.formats.end());
        wish.set_specs = source.sets;
        wish.sets_too = true;
        wish.overlap = source.overlap;
        return wish;
    }

    // One line can be rewritten where one thread writes.
    harvest::Progress::Shown shown() const {
        using Shown = harvest::Progress::Shown;
        return what_.quiet ? Shown::notes : what_.terminal && alone_ ? Shown::rewritten : Shown::lines;
    }

    void say(const Source& source, const std::string& what) {
        const std::lock_guard lock(mutex_);
        fmt::print("{}: {}\n", source.name, text::to_xml_text(what));
        std::fflush(stdout);
    }

    const Config& config_;
    const SourceHarvest& what_;
    StopSignals signals_;
    std::mutex mutex_;
    std::atomic<bool> well_{true};
    bool alone_ = true;
};

std::vector<Source> chosen(const Config& config, const SourceHarvest& what) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    aggregate::require_library(connection);
    const auto known = aggregate::read_sources(connection, what.names);
    for (const std::string& name : what.names)
        if (std::none_of(known.begin(), known.end(), [&](const auto& k) { return k.source.name == name; }))
            throw std::runtime_error(name + ": no such repository; oai repository list has them");
    std::vector<Source> sources;
    for (const aggregate::KnownSource& k : known)
        if (k.due || !what.due) sources.push_back(k.source);
    return sources;
}

}  // namespace

int harvest_sources(const Config& config, const std::string& config_path, const SourceHarvest& what) {
    if (config.loader.connection.empty())
        throw ConfigError(config_path + ": [loader] connection: required to harvest into the database");
    xml::initialise();
    return Harvesting(config, what).run(chosen(config, what)) ? kFine : kRefused;
}

}  // namespace oai::command
