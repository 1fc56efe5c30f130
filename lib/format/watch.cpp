// SPDX-License-Identifier: MIT
#include "format/watch.h"

#include <chrono>
#include <exception>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "format/trial.h"
#include "protocol/datestamp.h"
#include "protocol/error.h"

namespace oai {
namespace {

using std::chrono::milliseconds;

constexpr int kSampleRecords = 100;

// inotify tells when a file was closed and so is complete; without it a file must stay unchanged
// for longer. In both cases loading, including a trial, takes less than two seconds.
struct Pace {
    milliseconds settle;
    milliseconds scan;
};
constexpr Pace kPaceByInotify{milliseconds{100}, milliseconds{1000}};
constexpr Pace kPaceByPolling{milliseconds{500}, milliseconds{300}};

const Pace& pace(bool by_inotify) { return by_inotify ? kPaceByInotify : kPaceByPolling; }

}  // namespace

// Sample records, cached for the duration of one scan.
struct FormatWatch::Samples {
    std::optional<Store> store;  // must outlive the batches
    std::vector<RecordBatch> batches;
};

FormatWatch::FormatWatch(FormatWatchOptions options, StoreOptions samples, const Clock& clock)
    : options_(std::move(options)),
      samples_(std::move(samples)),
      clock_(clock),
      watcher_(options_.directory, options_.by_inotify),
      directory_(options_.directory, pace(watcher_.uses_inotify()).settle),
      formats_(directory_.registry()) {
    status_.faults = directory_.faults();
    status_.by_inotify = watcher_.uses_inotify();
    for (const std::string& fault : status_.faults)
        log::error("format", {{"state", "refused"}, {"why", fault}});
    for (const auto& format : directory_.registry()->formats()) log_way(*format);
    for (const auto& about : directory_.registry()->abouts()) log_way(*about);
}

FormatWatch::~FormatWatch() {
    stopping_ = true;
    watcher_.wake();
    if (thread_.joinable()) thread_.join();
}

void FormatWatch::start() {
    if (options_.by_inotify && !watcher_.uses_inotify())
        log::warning("format", {{"state", "scanned"}, {"why", "inotify is not to be had"}});
    thread_ = std::thread([this] { run(); });
}

void FormatWatch::recheck_all() noexcept {
    must_recheck_ = true;
    watcher_.wake();
}

FormatStatus FormatWatch::status() const {
    const std::lock_guard lock(status_mutex_);
    return status_;
}

void FormatWatch::run() {
    while (!stopping_) {
        try {
            scan();
        } catch (const std::exception& e) {
            // Out of memory or descriptors: the formats in service stay.
            log::error("format", {{"state", "not looked at"}, {"why", e.what()}});
        }
        const Pace& p = pace(watcher_.uses_inotify());
        watcher_.wait(directory_.is_waiting() ? p.settle : p.scan);
    }
}

void FormatWatch::scan() {
    Samples samples;
    if (must_recheck_.exchange(false)) directory_.recheck_all();
    const auto events = directory_.scan(
        std::chrono::steady_clock::now(),
        [&](const Format& format) { return check(format, samples); },
        [this](const std::string& path) { return watcher_.is_open(path); });
    formats_.store(directory_.registry());
    for (const FormatEvent& event : events) log_event(event);
    using Kind = FormatEvent::Kind;
    const std::lock_guard lock(status_mutex_);
    for (const FormatEvent& event : events)
        ++(event.kind == Kind::live      ? status_.live
           : event.kind == Kind::refused ? status_.refused
                                         : status_.removed);
    status_.faults = directory_.faults();
    status_.by_inotify = watcher_.uses_inotify();
}

// Returns the faults that a trial on sample records finds; none if there are no records or the
// database is down, which is not the fault of the stylesheet.
std::vector<std::string> FormatWatch::check(const Format& format, Samples& samples) {
    try {
        if (!samples.store) {
            samples.store.emplace(samples_);
            samples.batches = sample_records(*samples.store, kSampleRecords);
        }
        xml::SchemaFolder schemas(options_.directory + "/schema");
        const Trial trial =
            try_format(format, samples.batches, schemas, options_.identifier_prefix);
        log::info("format", {{"state", "tried"},
                             {"prefix", format.prefix},
                             {"records", trial.records},
                             {"bad", trial.failed},
                             {"first_bad", trial.first_failure},
                             {"schema", trial.schema_file}});
        if (!trial.schema_problem.empty())
            log::warning("format", {{"state", "not validated"},
                                    {"prefix", format.prefix},
                                    {"why", trial.schema_problem}});
        return trial.faults;
    } catch (const std::exception& e) {
        log::warning("format",
                     {{"state", "not tried"}, {"prefix", format.prefix}, {"why", e.what()}});
        return {};
    }
}

void FormatWatch::log_event(const FormatEvent& event) const {
    switch (event.kind) {
        case FormatEvent::Kind::live: return log_live(event);
        case FormatEvent::Kind::removed:
            return log::warning(
                "format",
                {{"state", "removed"}, {"prefix", event.format->prefix}, {"file", event.path}});
        case FormatEvent::Kind::refused:
            for (const std::string_view line : text::split(event.why, '\n'))
                log::error("format", {{"state", "refused"},
                                      {"serving", event.before ? "the version before" : "none"},
                                      {"why", line}});
    }
}

// Harvesters fetch all records again if their last harvest was before `since`. One that harvested
// between `since` and now has the old content and will not fetch it again, hence the warning.
void FormatWatch::log_live(const FormatEvent& event) const {
    const Format& format = *event.format;
    log::info("format", {{"state", "live"},
                         {"prefix", format.prefix},
                         {"file", event.path},
                         {"since", print_datestamp(format.since)}});
    if (event.before && format.since && format.since != event.before->since &&
        *format.since < clock_.now())
        log::warning("format", {{"state", "since is past"},
                                {"prefix", format.prefix},
                                {"why",
                                 "harvesters that came after it will not fetch the records again; "
                                 "a time a few minutes ahead reaches all"}});
    log_way(format);
}

void FormatWatch::log_way(const Format& format) const {
    log::info("format", {{"state", "loaded"},
                         {"prefix", format.prefix},
                         {"runs", way_of(format, options_.compiled)}});
}

}  // namespace oai
