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

// Holds the clock of the database against one that nobody sets. What is published by a clock that
// is ahead cannot be taken back: the next datestamp is later still, so that nothing more can be
// published until the true time is there.
class ClockGuard {
  public:
    using Uptime = std::chrono::seconds;  // since the host was started, sleep included
    static constexpr std::chrono::seconds kTolerance{60}, kTrial{120};

    // Returns by how many seconds the clock has jumped ahead since the last call, if that is more
    // than the tolerance and has not lasted as long as the trial; 0: it may be published by.
    std::int64_t jump(Seconds database, Uptime now) {
        const auto ahead = seen_ ? database - (seen_->database + (now - seen_->at)) : Uptime{};
        if (ahead <= kTolerance) jumped_.reset();
        if (ahead > kTolerance && !jumped_) jumped_ = now;
        if (jumped_ && now - *jumped_ < kTrial) return ahead.count();
        jumped_.reset();
        seen_ = {database, now};
        return 0;
    }

  private:
    struct Sight {
        Seconds database;
        Uptime at;
    };
    std::optional<Sight> seen_;     // of the clock as it was believed
    std::optional<Uptime> jumped_;  // since when it is not
};

// Finds out who has a lock that changes wait for. PostgreSQL tells only of a session that is
// waiting, and the publisher itself does not wait: a second session does so for a moment.
class Blockers {
  public:
    // Does not connect yet.
    explicit Blockers(std::string conninfo) : conninfo_(std::move(conninfo)) {}

    // Returns who has a lock on the item, on the set, or on a table that the publisher writes, such
    // as "pid 4711 oai_loader psql"; nothing if nobody has one now. Takes 0.3 s at most. `database`
    // is another connection than the one that waits, without a transaction. Throws pg::Error.
    std::optional<std::string> find(pg::Connection& database, std::optional<std::int64_t> item,
                                    std::optional<std::int64_t> set_id);

  private:
    std::string conninfo_;
    std::optional<pg::Connection> waiter_;
    std::int64_t backend_ = 0;  // of waiter_
};

class Publisher {
  public:
    // What lists of items are to be kept for the formats: a JSON array of arrays of names of
    // columns in which an item must have a value. nullopt: as before.
    using Requirements = std::function<std::optional<std::string>()>;

    // Does not connect yet. `requirements` is asked every few seconds, in the thread that
    // publishes. Throws ConfigError without [publisher] connection.
    Publisher(const Config& config, Requirements requirements);

    // Publishes all that is queued now, waiting for the clock. Returns the number of items.
    std::int64_t run_until_idle();

    // Publishes until SIGTERM or SIGINT. If the database fails, logs that and tries again; also
    // logs when the publisher falls behind and when it has caught up, who has a lock that changes
    // wait for, and a clock that has jumped ahead, by which it does not publish.
    void run_until_stopped(StopSignals& signals);

  private:
    struct Round {
        int published = 0;
        bool waiting = false;          // the clock has not passed the horizon
        std::int64_t lag_seconds = 0;  // from the horizon to the clock
        bool started = false;          // the first numbering has ended
        bool more = false;  // there are committed changes that this round did not look at
        // What waits for a lock of somebody else; neither, and a time: a table.
        std::optional<std::int64_t> blocked_item{}, blocked_set{};
        std::int64_t blocked_seconds = 0;  // how long something has been waiting; 0: nothing does
    };
    Round publish_once();
    // Returns whether there is more to look at.
    bool follow_tables();
    void register_rules();
    void register_sets();
    // Brings what is published into the index of the search, in slices, until all is there or the
    // time has come; one slice at least. Returns whether there may be more.
    bool index(std::chrono::steady_clock::time_point until);
    void adapt_slice(int published, std::int64_t milliseconds);
    void report(const Round& round, std::int64_t milliseconds);
    void report_blocked(const Round& round);
    void report_failure(const pg::Error& error);
    // Whether the clock of the database has jumped ahead, which is logged and written down.
    bool doubts_clock();

    std::string conninfo_;
    const Requirements requirements_;
    std::optional<SetRules> sets_;                     // of [publisher] sets
    std::map<std::string, std::string> set_problems_;  // reported, by the name of the set's file
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
    bool is_clock_doubted_ = false;
    bool is_behind_ = false;
    bool is_blocked_ = false;
    std::chrono::steady_clock::time_point blockers_looked_for_{};
};

}  // namespace oai
