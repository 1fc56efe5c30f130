// SPDX-License-Identifier: MIT
#include "publisher.h"

#include <csignal>
#include <ctime>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/log.h"
#include "pg/binary.h"

namespace oai {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr pg::Statement kPublish{
    "publish",
    "select p.published, p.waiting, coalesce(p.lag, 0)::bigint, o.h is not null"
    " from oai.publish($1::integer, $2::boolean) p, oai.horizon o"};

constexpr int kFirstSlice = 1000;   // changes all over a large repository take a millisecond each
constexpr int kLeastSlice = 500;
// One slice a second is all that a second's datestamp allows, and a slice holds back the horizon for as long as it
// takes: so it shall take most of a second and not more, or responseDate lags by more than it must.
constexpr std::int64_t kSliceMilliseconds = 800;
constexpr std::int64_t kBehindSeconds = 10;
constexpr milliseconds kRetryPause{1000};

// A datestamp is given out only when its second has closed, so there is nothing to do before the next one begins.
milliseconds until_next_second() {
    const auto now = std::chrono::system_clock::now();
    const auto next = std::chrono::floor<std::chrono::seconds>(now) + std::chrono::seconds{1} + milliseconds{10};
    return duration_cast<milliseconds>(next - now) + milliseconds{1};
}

// True if SIGTERM or SIGINT came within the pause.
bool stopped_within(milliseconds pause) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    const timespec limit{pause.count() / 1000, pause.count() % 1000 * 1'000'000};
    return sigtimedwait(&signals, nullptr, &limit) > 0;
}

}  // namespace

Publisher::Publisher(const Config& config)
    : conninfo_(config.publisher.connection),
      keep_deleted_(config.repository.deleted_record != DeletedRecord::no),
      most_records_(config.publisher.slice_records),
      slice_records_(std::min(kFirstSlice, config.publisher.slice_records)) {
    if (conninfo_.empty())
        throw ConfigError("[publisher] connection: missing: the libpq connection string of the publishing role");
}

Publisher::Round Publisher::publish_once() {
    if (!connection_ || connection_->broken())
        connection_ = std::make_unique<pg::Connection>(conninfo_, "oai publish");
    const auto begin = std::chrono::steady_clock::now();
    const pg::Result rows = connection_->query(
        kPublish, pg::Parameters{}.add(std::int64_t{slice_records_}).add(keep_deleted_ ? "true" : "false"));
    const auto took = duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin).count();
    const Round round{static_cast<int>(pg::read_integer(rows.bytes(0, 0))), pg::read_bool(rows.bytes(0, 1)),
                      pg::read_integer(rows.bytes(0, 2)), pg::read_bool(rows.bytes(0, 3))};
    report(round, took);
    adapt_slice(round.published, took);
    return round;
}

void Publisher::adapt_slice(int published, std::int64_t took_milliseconds) {
    const bool full = published == slice_records_;
    if (!full && took_milliseconds <= kSliceMilliseconds) return;   // little to do: it says nothing of what a slice takes
    const std::int64_t fitting = published * kSliceMilliseconds / std::max<std::int64_t>(took_milliseconds, 1);
    // Half the way, but at most to the double: one slow slice, or quick one, is no measure.
    const auto next = static_cast<int>(std::min<std::int64_t>((slice_records_ + fitting) / 2, 2L * slice_records_));
    slice_records_ = std::clamp(next, std::min(kLeastSlice, most_records_), most_records_);
}

void Publisher::report(const Round& round, std::int64_t took_milliseconds) {
    if (round.published > 0)
        log::info("published", {{"items", round.published},
                                {"milliseconds", took_milliseconds},
                                {"lag_seconds", round.lag_seconds},
                                {"first_numbering", round.started ? "no" : "yes"}});
    // `waiting` with a negative lag: the clock was set back behind what is already published.
    const bool behind = round.started && (round.lag_seconds > kBehindSeconds || round.lag_seconds < -1);
    if (behind != behind_)
        log::write(behind ? log::Level::warning : log::Level::info, behind ? "publisher_off" : "publisher_in_time",
                   {{"lag_seconds", round.lag_seconds},
                    {"meaning", round.lag_seconds < 0 ? "the clock is behind the last datestamp: new records wait for it"
                     : behind                         ? "new records reach harvesters late"
                                                      : "responseDate follows the clock"}});
    behind_ = behind;
}

std::int64_t Publisher::run_until_idle() {
    std::int64_t total = 0;
    for (;;) {
        const Round round = publish_once();
        total += round.published;
        if (round.waiting)
            std::this_thread::sleep_for(until_next_second());
        else if (round.published == 0)
            return total;
    }
}

void Publisher::run_until_stopped() {
    log::info("publisher_started", {{"slice_records", most_records_}});
    milliseconds pause{0};
    while (!stopped_within(pause)) {
        try {
            const Round round = publish_once();
            // The first numbering brings its own datestamps and need not wait for the clock.
            pause = round.started ? until_next_second() : milliseconds{0};
        } catch (const pg::Error& e) {
            log::error("publish_failed",
                       {{"statement", e.statement()}, {"sqlstate", e.sqlstate()}, {"reason", e.what()}});
            connection_.reset();
            pause = kRetryPause;
        }
    }
    log::info("publisher_stopped", {});
}

}  // namespace oai
