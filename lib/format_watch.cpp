// SPDX-License-Identifier: MIT
#include "format_watch.h"

#include <chrono>
#include <exception>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "datestamp.h"
#include "error.h"
#include "format_trial.h"

namespace oai {
namespace {

using std::chrono::milliseconds;

constexpr int kSampleRecords = 100;

// By inotify a file that was closed is whole; what looks without it sees must have stood still for longer. Together
// with a trial both stay well within two seconds.
struct Pace {
    milliseconds settle;
    milliseconds look;
};
constexpr Pace kTold{milliseconds{100}, milliseconds{1000}};
constexpr Pace kLooking{milliseconds{500}, milliseconds{300}};

const Pace& pace(bool by_inotify) { return by_inotify ? kTold : kLooking; }

}  // namespace

// Of one look, read when first needed.
struct FormatWatch::Samples {
    std::optional<Store> store;  // the slices' names live as long as it does
    std::vector<Slice> slices;
};

FormatWatch::FormatWatch(FormatWatchOptions options, StoreOptions samples, const Clock& clock)
    : options_(std::move(options)),
      samples_(std::move(samples)),
      clock_(clock),
      notice_(options_.directory, options_.by_inotify),
      directory_(options_.directory, pace(notice_.by_inotify()).settle),
      formats_(directory_.registry()) {
    status_.faults = directory_.faults();
    status_.by_inotify = notice_.by_inotify();
    for (const std::string& fault : status_.faults) log::error("format", {{"state", "refused"}, {"why", fault}});
    for (const auto& format : directory_.registry()->formats()) tell_way(*format);
    for (const auto& about : directory_.registry()->abouts()) tell_way(*about);
}

FormatWatch::~FormatWatch() {
    stopping_ = true;
    notice_.wake();
    if (thread_.joinable()) thread_.join();
}

void FormatWatch::start() {
    if (options_.by_inotify && !notice_.by_inotify())
        log::warning("format", {{"state", "scanned"}, {"why", "inotify is not to be had"}});
    thread_ = std::thread([this] { run(); });
}

void FormatWatch::judge_all_anew() noexcept {
    anew_ = true;
    notice_.wake();
}

FormatStatus FormatWatch::status() const {
    const std::lock_guard lock(status_mutex_);
    return status_;
}

void FormatWatch::run() {
    while (!stopping_) {
        try {
            look();
        } catch (const std::exception& e) {  // out of memory or descriptors: what serves goes on
            log::error("format", {{"state", "not looked at"}, {"why", e.what()}});
        }
        const Pace& p = pace(notice_.by_inotify());
        notice_.sleep(directory_.waiting() ? p.settle : p.look);
    }
}

void FormatWatch::look() {
    Samples samples;
    if (anew_.exchange(false)) directory_.distrust();
    const auto events = directory_.look(
        std::chrono::steady_clock::now(),
        [&](const Format& format) { return judge(format, samples); },
        [this](const std::string& path) { return notice_.is_open(path); });
    formats_.store(directory_.registry());
    for (const FormatEvent& event : events) tell(event);
    const std::lock_guard lock(status_mutex_);
    status_.faults = directory_.faults();
    status_.by_inotify = notice_.by_inotify();
}

// Without records to try it over, a format is what its own file shows: the database being down, or empty, is no
// fault of the stylesheet's.
std::vector<std::string> FormatWatch::judge(const Format& format, Samples& samples) {
    try {
        if (!samples.store) {
            samples.store.emplace(samples_);
            samples.slices = sample_records(*samples.store, kSampleRecords);
        }
        xml::SchemaFolder schemas(options_.directory + "/schema");
        const Trial trial = try_format(format, samples.slices, schemas, options_.identifier_prefix);
        log::info("format", {{"state", "tried"}, {"prefix", format.prefix}, {"records", trial.records},
                             {"bad", trial.failed}, {"first_bad", trial.first_failure}, {"schema", trial.schema_file}});
        if (!trial.schema_problem.empty())
            log::warning("format", {{"state", "not validated"}, {"prefix", format.prefix}, {"why", trial.schema_problem}});
        return trial.faults;
    } catch (const std::exception& e) {
        log::warning("format", {{"state", "not tried"}, {"prefix", format.prefix}, {"why", e.what()}});
        return {};
    }
}

void FormatWatch::tell(const FormatEvent& event) {
    {
        const std::lock_guard lock(status_mutex_);
        ++(event.kind == FormatEvent::Kind::live      ? status_.live
           : event.kind == FormatEvent::Kind::refused ? status_.refused
                                                      : status_.removed);
    }
    switch (event.kind) {
        case FormatEvent::Kind::live:
            return tell_live(event);
        case FormatEvent::Kind::removed:
            return log::warning("format", {{"state", "removed"}, {"prefix", event.format->prefix}, {"file", event.path}});
        case FormatEvent::Kind::refused:
            for (const std::string_view line : text::split(event.why, '\n'))
                log::error("format", {{"state", "refused"},
                                      {"serving", event.before ? "the version before" : "none"},
                                      {"why", line}});
    }
}

// `since` says from when on harvesters are to fetch everything again. Who harvested between that moment and this one
// has the old content under a datestamp that looks new enough.
void FormatWatch::tell_live(const FormatEvent& event) const {
    const Format& format = *event.format;
    log::info("format", {{"state", "live"}, {"prefix", format.prefix}, {"file", event.path},
                         {"since", format.since ? print_datestamp(*format.since) : ""}});
    if (event.before && format.since && format.since != event.before->since && *format.since < clock_.now())
        log::warning("format", {{"state", "since is past"}, {"prefix", format.prefix},
                                {"why", "harvesters that came after it will not fetch the records again; "
                                        "a time a few minutes ahead reaches all"}});
    tell_way(format);
}

void FormatWatch::tell_way(const Format& format) const {
    log::info("format", {{"state", "loaded"}, {"prefix", format.prefix}, {"runs", way_of(format, options_.compiled)}});
}

}  // namespace oai
