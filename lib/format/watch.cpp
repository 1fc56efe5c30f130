// SPDX-License-Identifier: MIT
#include "format/watch.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "base/log.h"
#include "base/text.h"
#include "format/file.h"
#include "format/trial_process.h"
#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {
namespace {

using std::chrono::milliseconds;

constexpr int kSampleRecords = 100;

// inotify tells when a file was closed and so is complete; without it a file must stay unchanged
// for longer. In both cases loading, including most trials, takes less than two seconds.
struct Pace {
    milliseconds settle;
    milliseconds scan;
};
constexpr Pace kPaceByInotify{milliseconds{100}, milliseconds{1000}};
constexpr Pace kPaceByPolling{milliseconds{500}, milliseconds{300}};

const Pace& pace(bool by_inotify) { return by_inotify ? kPaceByInotify : kPaceByPolling; }

}  // namespace

FormatWatch::FormatWatch(FormatWatchOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      watcher_(options_.formats.directory, options_.formats.inotify),
      directory_(options_.formats.directory, pace(watcher_.uses_inotify()).settle,
                 [this](const std::string& path) { return load(path, 0); }),
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
    if (options_.formats.inotify && !watcher_.uses_inotify())
        log::warning("format", {{"state", "scanned"}, {"why", "inotify is not to be had"}});
    must_recheck_ =
        true;  // over sample records, as a reload does; what was loaded serves meanwhile
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
        } catch (const TrialStopped&) {
            return;
        } catch (const std::exception& e) {
            // Out of memory or descriptors: the formats in service stay.
            log::error("format", {{"state", "not looked at"}, {"why", e.what()}});
        }
        const Pace& p = pace(watcher_.uses_inotify());
        watcher_.wait(directory_.is_waiting() ? p.settle : p.scan);
    }
}

void FormatWatch::scan() {
    if (must_recheck_.exchange(false)) directory_.recheck_all();
    const auto events = directory_.scan(
        std::chrono::steady_clock::now(),
        [this](const std::string& path) { return load(path, kSampleRecords); },
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
    status_.unannounced = directory_.unannounced();
    status_.by_inotify = watcher_.uses_inotify();
}

// A file goes live without a trial if there are no records or the database is down, which is not
// the fault of the stylesheet.
std::shared_ptr<const Format> FormatWatch::load(const std::string& path, int samples) const {
    const std::string catalog = catalog_of(options_.formats);
    if (options_.trial_command.empty()) return read_format_file(path, catalog);
    std::vector<std::string> command = options_.trial_command;
    command.insert(command.end(), {std::to_string(samples), path});
    const TrialAnswer trial = try_in_process(std::move(command), trial_limit(samples),
                                             [this] { return stopping_.load(); });
    if (!trial.untried.empty())
        log::warning("format", {{"state", "not tried"}, {"file", path}, {"why", trial.untried}});
    else if (trial.is_whole && trial.samples >= 0)
        log::info("format", {{"state", "tried"},
                             {"prefix", trial.prefix},
                             {"records", trial.records},
                             {"bad", trial.failed},
                             {"first_bad", trial.first_failure},
                             {"schema", trial.schema_file}});
    if (!trial.schema_problem.empty())
        log::warning(
            "format",
            {{"state", "not validated"}, {"prefix", trial.prefix}, {"why", trial.schema_problem}});
    if (!trial.faults.empty()) throw Fault(fmt::format("{}", fmt::join(trial.faults, "\n")));
    auto format = compile_format_file(path, catalog);
    if (trial.differs) format->compiled->switch_off();
    if (trial.depends) format->compiled->run_alone();
    format->made = SampleDigests::parse(trial.made);
    return format;
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
    if (!event.why.empty())
        log::warning(
            "format",
            {{"state", "changed unannounced"}, {"prefix", format.prefix}, {"why", event.why}});
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
                         {"runs", way_of(format, options_.formats.compiled)}});
}

}  // namespace oai
