// SPDX-License-Identifier: MIT
#include "publish/publisher.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/version.h"
#include "pg/binary.h"
#include "publish/queries.h"

namespace oai {
namespace {

// How often Blockers looks for the lock holder; the waiting statement times out after 300 ms.
constexpr int kLooks = 10;
constexpr std::chrono::milliseconds kPause{25};

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// A record takes up to a millisecond if changes are spread over a large repository, and several
// where others need the processor.
constexpr int kFirstSlice = 500, kMinSlice = 100;
// A second's datestamp is given to one slice only, and the horizon does not move while a slice is
// published. So a slice aims at less than a second, since it may be slower than the one before from
// which its size was computed; if it takes longer, responseDate lags behind the clock without need.
constexpr std::int64_t kSliceMilliseconds = 700;
// The time that one slice of the index should take, since it delays the next round.
constexpr std::int64_t kIndexMilliseconds = 100;
constexpr int kMinIndexSlice = 50, kMaxIndexSlice = 5000;
constexpr std::int64_t kBehindSeconds = 10;
// Changes that have waited for a lock for so long are reported, together with the lock holder.
constexpr std::int64_t kBlockedSeconds = 5;
constexpr milliseconds kRetryPause{1000};
constexpr std::chrono::seconds kRulesPause{3};  // between two checks of formats and sets
constexpr std::string_view kLockNotAvailable = "55P03";

// A datestamp is assigned only when its second is over, so the publisher sleeps until the next.
milliseconds until_next_second() {
    const auto now = std::chrono::system_clock::now();
    const auto next =
        std::chrono::floor<std::chrono::seconds>(now) + std::chrono::seconds{1} + milliseconds{10};
    return duration_cast<milliseconds>(next - now) + milliseconds{1};
}

}  // namespace

std::optional<std::string> Blockers::find(pg::Connection& database,
                                          std::optional<std::int64_t> item,
                                          std::optional<std::int64_t> set_id) {
    if (!waiter_ || waiter_->broken()) {
        waiter_.emplace(conninfo_, "oai publish, looking for locks");
        backend_ = pg::read_integer(waiter_->query(publish_queries::kBackend).bytes(0, 0));
    }
    waiter_->send(publish_queries::kWaitForBlocked, pg::Parameters().add(item).add(set_id));
    waiter_->flush();
    std::optional<std::string> found;
    for (int look = 0; look < kLooks && !found; ++look) {
        std::this_thread::sleep_for(kPause);
        const pg::Result row =
            database.query(publish_queries::kBlockers, pg::Parameters().add(backend_));
        if (!row.is_null(0, 0)) found = std::string(row.bytes(0, 0));
    }
    try {
        waiter_->take();
    } catch (const pg::Error&) {  // the lock was not free in time
        waiter_->reset_quietly();
    }
    return found;
}

Publisher::Publisher(const Config& config, Requirements requirements)
    : conninfo_(config.publisher.connection),
      requirements_(std::move(requirements)),
      blockers_(conninfo_),
      keep_deleted_(config.repository.deleted_record != DeletedRecord::no),
      max_slice_records_(config.publisher.slice_records),
      slice_records_(std::min(kFirstSlice, config.publisher.slice_records)),
      index_records_(kMinIndexSlice) {
    if (conninfo_.empty())
        throw ConfigError(
            "[publisher] connection: missing: the libpq connection string of the publishing role");
    if (!config.publisher.sets.empty()) sets_.emplace(config.publisher.sets);
}

Publisher::Round Publisher::publish_once() {
    if (!connection_ || connection_->broken())
        connection_ = std::make_unique<pg::Connection>(conninfo_, "oai publish");
    if (has_clock_jumped()) return {.waiting = true, .started = true};
    register_rules();
    const bool more_to_follow = follow_tables();
    const auto begin = std::chrono::steady_clock::now();
    const pg::Result rows = connection_->query(
        publish_queries::kPublish,
        pg::Parameters{}.add(std::int64_t{slice_records_}).add(keep_deleted_ ? "true" : "false"));
    const auto took = duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin).count();
    const bool more_to_examine =
        pg::read_bool(connection_->query(publish_queries::kCatchUp).bytes(0, 0));
    const auto number_if_any = [&](int column) {
        return rows.is_null(0, column) ? std::nullopt
                                       : std::optional(pg::read_integer(rows.bytes(0, column)));
    };
    const Round round{.published = static_cast<int>(pg::read_integer(rows.bytes(0, 0))),
                      .waiting = pg::read_bool(rows.bytes(0, 1)),
                      .lag_seconds = pg::read_integer(rows.bytes(0, 2)),
                      .started = pg::read_bool(rows.bytes(0, 3)),
                      .more = more_to_follow || more_to_examine || pg::read_bool(rows.bytes(0, 4)),
                      .blocked_item = number_if_any(5),
                      .blocked_set = number_if_any(6),
                      .blocked_seconds = pg::read_integer(rows.bytes(0, 7))};
    report(round, took);
    if (!round.waiting) report_blocked(round);
    adapt_slice(round, took);
    return round;
}

bool Publisher::has_clock_jumped() {
    timespec up{};
    ::clock_gettime(CLOCK_BOOTTIME, &up);
    const Seconds now{std::chrono::seconds{
        pg::read_integer(connection_->query(publish_queries::kClock).bytes(0, 0))}};
    const auto ahead = clock_.jump(now, std::chrono::seconds{up.tv_sec});
    if (std::exchange(is_clock_ahead_, ahead > 0) == (ahead > 0)) return ahead > 0;
    log::write(ahead > 0 ? log::Level::error : log::Level::info,
               ahead > 0 ? "clock_jumped" : "clock_believed",
               {{"ahead_seconds", ahead},
                {"meaning", ahead > 0 ? "nothing is published until it is set back, or for two "
                                        "minutes: mend the clock"
                                      : "it is published again"}});
    if (ahead > 0)
        connection_->query(publish_queries::kStoreBlockerOfAll,
                           pg::Parameters().add("publisher: the clock of the database has jumped " +
                                                std::to_string(ahead) +
                                                " s ahead; nothing is published for two "
                                                "minutes: mend the clock"));
    return ahead > 0;
}

void Publisher::register_rules() {
    const auto now = std::chrono::steady_clock::now();
    if (now - rules_read_ < kRulesPause) return;
    const pg::Result abilities = connection_->query(publish_queries::kAbilities);
    has_index_ = pg::read_bool(abilities.bytes(0, 0));
    has_map_ = pg::read_bool(abilities.bytes(0, 1));
    if (const auto wanted = requirements_())
        connection_->query(publish_queries::kRegisterRequirements, pg::Parameters().add(*wanted));
    if (sets_) register_sets();
    rules_read_ = now;
}

bool Publisher::follow_tables() {
    if (!has_map_) return false;
    const pg::Result row = connection_->query(publish_queries::kFollow);
    const std::int64_t held = pg::read_integer(row.bytes(0, 1));
    if ((std::exchange(held_, held) > 0) != (held > 0))
        log::write(held > 0 ? log::Level::warning : log::Level::info,
                   held > 0 ? "departures_held" : "departures_ended",
                   {{"items", held},
                    {"meaning", held > 0 ? "most rows of own tables are gone at once; oai "
                                           "status says for how long their items stay"
                                         : "their rows are back, or their items deleted"}});
    const std::string problems(row.bytes(0, 2));
    if (std::exchange(map_problems_, problems) != problems) {
        if (problems.empty())
            log::info("map_in_order", {});
        else
            log::error("map_problem",
                       {{"why", problems}, {"meaning", "harvesters get what was there before"}});
    }
    return pg::read_bool(row.bytes(0, 0));
}

// Logs each problem of a set once, and stores it in the database for the status page of servers.
void Publisher::register_sets() {
    std::map<std::string, std::string> problems;
    try {
        const std::vector<SetRule>& rules = sets_->read(*connection_);
        connection_->query(publish_queries::kRegisterSets,
                           pg::Parameters()
                               .add(rules_json(rules, false))
                               .add(rules_json(rules, true))
                               .add(pg::array_literal(names_with_problems(rules))));
        for (const SetRule& rule : rules)
            if (rule.problem.size() > 1) problems.emplace(rule.name, rule.problem);
        const pg::Result failing = connection_->query(
            publish_queries::kStoreProblems, pg::Parameters().add(nlohmann::json(problems).dump()));
        for (int i = 0; i < failing.rows(); ++i)
            problems.emplace(failing.bytes(i, 0), failing.bytes(i, 1));
    } catch (const SetsUnreadable& fault) {
        problems.emplace("", fault.what());
    }
    for (const auto& [name, problem] : problems)
        if (const auto known = set_problems_.find(name);
            known == set_problems_.end() || known->second != problem)
            log::error("set_problem", {{"set", name},
                                       {"why", problem},
                                       {"meaning", problem.starts_with("item ")
                                                       ? "the condition is asked of all others"
                                                       : "the version before stays in force"}});
    for (const auto& [name, problem] : set_problems_)
        if (!problems.contains(name)) log::info("set_in_order", {{"set", name}});
    set_problems_ = std::move(problems);
}

bool Publisher::index(std::chrono::steady_clock::time_point until) {
    for (auto begin = std::chrono::steady_clock::now(); has_index_;) {
        const pg::Result row =
            connection_->query(publish_queries::kIndexSearch, pg::Parameters{}.add(index_records_));
        const bool full = pg::read_integer(row.bytes(0, 0)) == index_records_;
        const auto end = std::chrono::steady_clock::now();
        const auto took = duration_cast<milliseconds>(end - begin).count();
        if (!full) return false;
        index_records_ = std::clamp(took > kIndexMilliseconds       ? index_records_ / 2
                                    : took < kIndexMilliseconds / 2 ? 2 * index_records_
                                                                    : index_records_,
                                    kMinIndexSlice, kMaxIndexSlice);
        if (end + milliseconds{kIndexMilliseconds} >= until) return true;
        begin = end;
    }
    return false;
}

void Publisher::adapt_slice(const Round& round, std::int64_t took_milliseconds) {
    // What fitted before a pause may be too much for the machine as it is now.
    if (round.published == 0 && !round.more) slice_records_ = std::min(slice_records_, kFirstSlice);
    const bool full = round.published == slice_records_;
    if (!full && took_milliseconds <= kSliceMilliseconds)
        return;  // a small slice does not show how long a full one takes
    const std::int64_t fitting =
        round.published * kSliceMilliseconds / std::max<std::int64_t>(took_milliseconds, 1);
    // Go only half of the way, and at most double the size, since one slice may be an exception.
    const auto next = static_cast<int>(
        std::min<std::int64_t>((slice_records_ + fitting) / 2, 2L * slice_records_));
    slice_records_ = std::clamp(next, std::min(kMinSlice, max_slice_records_), max_slice_records_);
}

void Publisher::report(const Round& round, std::int64_t took_milliseconds) {
    if (round.published > 0)
        log::info("published", {{"items", round.published},
                                {"milliseconds", took_milliseconds},
                                {"lag_seconds", round.lag_seconds},
                                {"first_numbering", round.started ? "no" : "yes"}});
    // A negative lag means that the clock was set back behind the last datestamp.
    const bool behind =
        round.started && (round.lag_seconds > kBehindSeconds || round.lag_seconds < -1);
    if (behind != is_behind_)
        log::write(behind ? log::Level::warning : log::Level::info,
                   behind ? "publisher_off" : "publisher_in_time",
                   {{"lag_seconds", round.lag_seconds},
                    {"meaning", round.lag_seconds < 0
                                    ? "the clock is behind the last datestamp: new records wait "
                                      "for it; if it is right now: oai publish --mend-clock"
                                : behind ? "new records reach harvesters late"
                                         : "responseDate follows the clock"}});
    is_behind_ = behind;
}

void Publisher::report_blocked(const Round& round) {
    if (round.blocked_seconds < kBlockedSeconds) {
        if (is_blocked_) log::info("publisher_not_blocked", {});
        is_blocked_ = false;
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (is_blocked_ && now - blockers_checked_at_ < std::chrono::seconds{kBlockedSeconds}) return;
    blockers_checked_at_ = now;
    const auto by = blockers_.find(*connection_, round.blocked_item, round.blocked_set);
    connection_->query(publish_queries::kStoreBlocker, pg::Parameters().add(by));
    if (!by) return;  // the lock was released meanwhile
    is_blocked_ = true;
    const auto text_of = [](const std::optional<std::int64_t>& number) {
        return number ? std::to_string(*number) : "";
    };
    log::warning("publisher_blocked",
                 {{"by", *by},
                  {"seconds", round.blocked_seconds},
                  {"item", text_of(round.blocked_item)},
                  {"set", text_of(round.blocked_set)},
                  {"meaning", "changes of what is locked wait; all others are published"}});
}

// Logs the error that stopped the round, and stores it for servers if that is possible.
void Publisher::report_failure(const pg::Error& error) {
    log::error("publish_failed", {{"statement", error.statement()},
                                  {"sqlstate", error.sqlstate()},
                                  {"reason", error.what()},
                                  {"remedy", pg::trouble_of(error).remedy}});
    connection_.reset();
    if (error.sqlstate().empty()) return;
    try {
        connection_ = std::make_unique<pg::Connection>(conninfo_, "oai publish");
        std::optional<std::string> why = "publisher: " + pg::with_remedy(error);
        if (error.sqlstate() == kLockNotAvailable) {
            why = blockers_.find(*connection_, {}, {});
            if (why)
                log::warning("publisher_blocked",
                             {{"by", *why},
                              {"meaning",
                               "it has locked a table of the publisher's, or the row of "
                               "oai.horizon: nothing is published"}});
        }
        connection_->query(publish_queries::kShortLocks);
        if (why)
            connection_->query(publish_queries::kStoreBlockerOfAll, pg::Parameters().add(*why));
    } catch (const pg::Error&) {  // the next round will log the error
    }
    connection_.reset();
}

std::int64_t Publisher::run_until_idle() {
    std::int64_t total = 0;
    for (;;) {
        const Round round = publish_once();
        total += round.published;
        if (round.waiting)
            std::this_thread::sleep_for(until_next_second());
        else if (round.published == 0 && !round.more)
            break;
    }
    while (index(std::chrono::steady_clock::now())) {
    }
    return total;
}

void Publisher::run_until_stopped(StopSignals& signals) {
    log::info("publisher_started", {{"slice_records", max_slice_records_},
                                    {"version", version() + " " + source_commit()}});
    milliseconds pause{0};
    while (!signals.wait(pause)) {
        const auto begin =
            std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        try {
            const Round round = publish_once();
            // No pause during the first numbering, whose records keep their datestamps, nor after a
            // round that lasted into the next second.
            const bool is_late = !round.waiting && std::chrono::system_clock::now() >=
                                                       begin + std::chrono::seconds{1};
            if (round.started) index(std::chrono::steady_clock::now() + until_next_second());
            pause = round.started && !is_late ? until_next_second() : milliseconds{0};
        } catch (const pg::Error& e) {
            report_failure(e);
            pause = kRetryPause;
        }
    }
    log::info("publisher_stopped", {});
}

}  // namespace oai
