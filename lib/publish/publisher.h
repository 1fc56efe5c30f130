// SPDX-License-Identifier: MIT
// The publisher of a repository, a process beside its servers: calls oai.publish() about once a
// second, so that changed records get their publication number and datestamp, and the horizon moves
// on when nothing has changed. Several publishers may run at the same time: the lock on the horizon
// row makes them take turns. Independent of OAI-PMH and of the model.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/config.h"
#include "base/stop_signals.h"
#include "pg/connection.h"
#include "publish/rules.h"

namespace oai {

// Compares the clock of the database with the uptime of the host. A datestamp from a clock that is
// ahead cannot be corrected: later datestamps must be greater, so nothing more could be published
// until the true time has passed it.
class ClockGuard {
  public:
    using Uptime = std::chrono::seconds;  // since the host was started, sleep included
    static constexpr std::chrono::seconds kTolerance{60}, kTrial{120};

    // Returns by how many seconds the clock has jumped ahead since the last call, if that is more
    // than kTolerance; or 0, once the jump has lasted for kTrial and is therefore believed.
    std::int64_t jump(Seconds database, Uptime now) {
        const auto ahead = last_ ? database - (last_->database + (now - last_->at)) : Uptime{};
        if (ahead <= kTolerance) jumped_at_.reset();
        if (ahead > kTolerance && !jumped_at_) jumped_at_ = now;
        if (jumped_at_ && now - *jumped_at_ < kTrial) return ahead.count();
        jumped_at_.reset();
        last_ = {database, now};
        return 0;
    }

  private:
    struct Reading {
        Seconds database;
        Uptime at;
    };
    std::optional<Reading> last_;      // the last reading that was believed
    std::optional<Uptime> jumped_at_;  // when the clock jumped
};

// Finds the holder of a lock that changes wait for. PostgreSQL names the lock holder only for a
// session that is waiting. The publisher itself never waits, so a second session does for a moment.
class Blockers {
  public:
    // Does not connect yet.
    explicit Blockers(std::string conninfo) : conninfo_(std::move(conninfo)) {}

    // Returns the holder of a lock on the item, on the set, or on a table that the publisher
    // writes, such as "pid 4711 oai_loader psql"; nullopt if there is none now. Takes at most 0.3
    // s. `database` must not be in a transaction. Throws pg::Error.
    std::optional<std::string> find(pg::Connection& database, std::optional<std::int64_t> item,
                                    std::optional<std::int64_t> set_id);

  private:
    std::string conninfo_;
    std::optional<pg::Connection> waiter_;
    std::int64_t backend_ = 0;  // of waiter_
};

class Publisher {
  public:
    // Returns the sets of columns that formats require, as a JSON array of arrays of column names,
    // so that the publisher can keep a list of the items of each; nullopt: unchanged.
    using Requirements = std::function<std::optional<std::string>()>;

    // Does not connect yet. `requirements` is called every few seconds, in the publishing thread.
    // Throws ConfigError without [publisher] connection.
    Publisher(const Config& config, Requirements requirements);

    // Publishes everything that is queued, waiting for the clock. Returns the number of items.
    std::int64_t run_until_idle();

    // Publishes until SIGTERM or SIGINT. If the database fails, logs that and tries again. Also
    // logs when the publisher falls behind or catches up, the holders of locks that changes wait
    // for, and a clock that has jumped ahead.
    void run_until_stopped(StopSignals& signals);

  private:
    struct Round {
        int published = 0;
        bool waiting = false;          // the clock has not passed the horizon
        std::int64_t lag_seconds = 0;  // from the horizon to the clock
        bool started = false;          // the first numbering has ended
        bool more = false;             // more committed changes are queued
        // The item or set that waits for a lock of another session; neither: a table does.
        std::optional<std::int64_t> blocked_item{}, blocked_set{};
        std::int64_t blocked_seconds = 0;  // how long it has been waiting; 0: nothing waits
    };
    Round publish_once();
    // Copies changes of mapped tables (`oai map`). Returns whether there are more.
    bool follow_tables();
    void register_rules();
    void register_sets();
    // Adds published records to the search index, in slices, at least one, until all are indexed or
    // `until` has come. Returns whether there may be more.
    bool index(std::chrono::steady_clock::time_point until);
    void adapt_slice(const Round& round, std::int64_t milliseconds);
    void report(const Round& round, std::int64_t milliseconds);
    void report_blocked(const Round& round);
    void report_failure(const pg::Error& error);
    // Whether the clock of the database has jumped ahead. Logs and stores a change.
    bool has_clock_jumped();

    std::string conninfo_;
    const Requirements requirements_;
    std::optional<SetRules> sets_;                     // of [publisher] sets
    std::map<std::string, std::string> set_problems_;  // already logged, by the set's file
    std::chrono::steady_clock::time_point rules_read_{};
    Blockers blockers_;
    bool keep_deleted_;
    int max_slice_records_;
    int slice_records_;
    int index_records_;
    bool has_index_ = false;
    bool has_map_ = false;
    std::string map_problems_;  // reported
    std::int64_t held_ = 0;     // items whose rows are gone
    std::unique_ptr<pg::Connection> connection_;
    ClockGuard clock_;
    bool is_clock_ahead_ = false, is_behind_ = false, is_blocked_ = false;
    std::chrono::steady_clock::time_point blockers_checked_at_{};
};

}  // namespace oai
