// SPDX-License-Identifier: MIT
// The model of harvests (run_state.h): writers that change a repository by ordinary SQL and know
// nothing of OAI-PMH. Their transactions stay open for between a millisecond and a minute, commit
// out of order, or roll back.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "pg/binary.h"
#include "pg/connection.h"
#include "t/lib/harvest_model/run_state.h"
#include "t/lib/wait.h"

namespace oai::harvest_model {

// The test assigns document numbers, so that each writer can pick documents that others are
// writing.
struct Documents {
    static constexpr std::int64_t kBulkBegin = 10'000'000;
    std::atomic<std::int64_t> last{0};
    std::atomic<std::int64_t> bulk{0};  // number of committed documents of the bulk load
};

inline std::string number(std::int64_t n) { return std::to_string(n); }

// Makes the tables of the test's own, the names of sets, and the first documents. Call it as a
// superuser, before the first Writer.
inline void fill(pg::Connection& owner, const RepositoryModel& model, Documents& documents,
                 std::int64_t first_documents) {
    owner.script("fill",
                 "create schema control; create sequence control.version; create table "
                 "control.record (id bigint generated always as identity primary key, stamp "
                 "timestamptz not null default now()); grant usage on schema control to "
                 "oai_loader; grant all on control.record, control.version to oai_loader; "
                 "insert into " +
                     model.collections +
                     " (name) select 'c' || i || ':d' || j "
                     "from generate_series(0, 1) i, generate_series(0, 3) j; " +
                     model.names + "; " + model.insert + " from generate_series(1, " +
                     number(first_documents) + ") i");
    documents.last = first_documents;
}

// Returns once everything is published, with all dates past and `rules` sets by a rule and views
// that are complete; something else must run the publisher.
inline void wait_for_queue(pg::Connection& owner, const RepositoryModel& model, int rules = 0,
                           std::chrono::seconds timeout = std::chrono::minutes{10}) {
    const std::string text =
        "select (select count(*) from oai.queue) + (select count(*) from " + model.items +
        " where greatest(visible_from, visible_until) > now() or hidden <> coalesce(visible_from > "
        "now() or visible_until <= now(), false)) + abs($1::int - (select count(*) from oai.rule "
        "where not is_hidden and name is not null and examined is null) - (select count(*) from "
        "oai.view v, oai.horizon o where v.examined is null and v.is_filled and v.followed = "
        "o.last_seq))";
    const auto give_up = Stopwatch::now() + timeout;
    const auto wanted = pg::Parameters{}.add(std::int64_t{rules});
    while (pg::read_integer(owner.query({"queued", text.c_str()}, wanted).bytes(0, 0)) > 0) {
        test::pace(std::chrono::milliseconds{100});
        if (Stopwatch::now() > give_up)
            throw std::runtime_error("the publishers do not empty the queue");
    }
}

// One connection, and random transactions one after the other. For one thread.
class Writer {
  public:
    Writer(RunState& state, Documents& documents, const std::string& conninfo, double first_seconds,
           unsigned seed)
        : state_(state),
          model_(state.model),
          documents_(documents),
          connection_(conninfo, "writer"),
          first_seconds_(first_seconds),
          random_(seed) {
        connection_.script("writer", "set lock_timeout = '10s'");
    }

    void run_until_end() {
        while (state_.seconds_left() > 0) {
            try {
                transaction();
            } catch (const pg::Error& e) {
                connection_.reset_quietly();
                // Expected: deadlocks, lock timeouts, and documents that others have deleted or
                // inserted.
                const std::string& state = e.sqlstate();
                if (state == "40P01" || state == "55P03" || state == "23503" || state == "23505")
                    state_.counts.add("conflicts");
                else
                    state_.findings.add("writers fail only because of conflicts with each other",
                                        e.what());
            }
            state_.pause(random_);
        }
    }

  private:
    // How long the next transaction stays open. The first one of each writer is long and commits,
    // so that every run has some.
    double duration() {
        const double wanted =
            first_ ? first_seconds_ : random_.logarithmic(0.001, state_.longest_seconds);
        return std::min(wanted, state_.seconds_left());
    }
    void transaction() {
        const double seconds = duration();
        const auto changes = random_.between(1, 6);
        // For the negative control (t/fault/further_checks.h): this row's stamp is the start of
        // the transaction.
        connection_.script("begin", "begin; insert into control.record default values");
        for (auto i = changes; i > 0; --i) {
            connection_.script("change", change());
            test::pace(std::chrono::duration<double>(seconds / static_cast<double>(changes)));
        }
        const bool keep = std::exchange(first_, false) || !random_.one_in(6);
        connection_.script("end", keep ? "commit" : "rollback");
        state_.counts.add(keep ? "commits" : "rollbacks");
        if (keep && seconds > 0.5 * state_.longest_seconds) state_.counts.add("long commits");
    }

    // Returns an SQL condition for a few random documents, some of which others are still inserting
    // and some of which do not exist.
    std::string some() {
        std::string ids = " in (0";
        if (random_.one_in(4))  // one of the latest, which a loader may have published itself
            ids += ",(select max(id) - " + number(random_.between(0, 5000)) + " from " +
                   model_.items + ")";
        for (auto n = random_.between(1, 8); n > 0; --n) {
            const auto bulk = documents_.bulk.load();
            ids += "," + number(bulk > 0 && random_.one_in(5)
                                    ? Documents::kBulkBegin + random_.between(1, bulk)
                                    : random_.between(1, documents_.last));
        }
        return ids + ")";
    }
    std::string collection() {
        return "(select id from " + model_.collections + " where name = 'c" +
               number(random_.between(0, 1)) + ":d" + number(random_.between(0, 3)) + "')";
    }

    std::string change() {
        switch (random_.between(0, 11)) {
            case 0:
            case 1: return insert();
            case 2:
            case 3:
                return update(model_.url +
                              " = 'http://www.example.cz/' || id || '/' || "
                              "nextval('control.version')");
            case 4: return update("deleted = not deleted");
            case 5: return "delete from " + model_.items + " where id" + some();
            case 6:
                return "insert into " + model_.filed + " select id, " + collection() + " from " +
                       model_.items + " where id" + some() + " on conflict do nothing";
            case 7: return "delete from " + model_.filed + " where " + model_.filed_item + some();
            case 8: return refile();
            case 9:
                return update(
                    "visible_from = null, visible_until = clock_timestamp() + random() * interval "
                    "'2 s'");
            case 10:
                return update(
                    "visible_until = null, visible_from = clock_timestamp() + random() * interval "
                    "'2 s'");
            default:
                return "savepoint s; " + update(model_.url + " = 'http://rolled.back/'") +
                       "; rollback to savepoint s";
        }
    }
    std::string insert() {
        const auto n = random_.between(1, 20);
        const auto last = documents_.last.fetch_add(n) + n;
        return model_.insert + " from generate_series(" + number(last - n + 1) + "," +
               number(last) + ") i";
    }
    std::string update(const std::string& columns) {
        return "update " + model_.items + " set " + columns + " where id" + some();
    }
    // Changes the sets of some documents in one statement: another media type, or another
    // collection.
    std::string refile() {
        if (random_.one_in(2)) return update(model_.kind);
        const std::string to = collection();
        return "update " + model_.filed + " c set id_collection = " + to + " where " +
               model_.filed_item + some() + " and not exists (select from " + model_.filed +
               " x where x." + model_.filed_item + " = c." + model_.filed_item +
               " and (x.id_collection = " + to + " or x.id_collection < c.id_collection))";
    }

    RunState& state_;
    const RepositoryModel& model_;
    Documents& documents_;
    pg::Connection connection_;
    bool first_ = true;
    const double first_seconds_;
    RandomNumbers random_;
};

// Inserts all records in one transaction, adds a third of them to a collection, and keeps the
// transaction open for a second after its last statement.
inline void bulk_load(RunState& state, Documents& documents, const std::string& conninfo,
                      std::int64_t records) {
    try {
        pg::Connection connection(conninfo, "bulk load");
        const std::string from = number(Documents::kBulkBegin + 1),
                          to = number(Documents::kBulkBegin + records);
        connection.script("bulk", "begin; insert into control.record default values");
        connection.script("bulk",
                          state.model.insert + " from generate_series(" + from + "," + to + ") i");
        connection.script("bulk", "insert into " + state.model.filed +
                                      " select i, (select id from " + state.model.collections +
                                      " where name = 'c1:d1') from generate_series(" + from + "," +
                                      to + ", 3) i");
        test::pace(std::chrono::seconds{1});
        connection.script("bulk", "commit");
        documents.bulk = records;
        state.counts.add("bulk loads");
    } catch (const pg::Error& e) {
        state.findings.add("the bulk load commits", e.what());
    }
}

}  // namespace oai::harvest_model
