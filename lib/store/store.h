// SPDX-License-Identifier: MIT
// The questions the verbs ask; rows become values. Every answer of a list and its horizon come from
// one snapshot. Knows no XML and no HTTP. Throws pg::Error, pg::Busy, Unavailable (the first
// numbering has not ended), Fault (oai.record does not keep its contract). Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "pg/pool.h"
#include "protocol/record.h"
#include "store/record_batch.h"
#include "store/record_cursor.h"
#include "store/replica.h"

namespace oai {

// The store adds its own settings to the pool's: it can only read, and no plan can sort or scan a
// whole table.
struct StoreOptions {
    pg::PoolOptions pool;
    // A statement that takes longer is ended (pg::Error, unavailable), and so is a connection that
    // sits in a snapshot for longer without asking anything. 0: never. Set per session.
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::seconds replica_lag{0};                  // becomes Horizon::lag
    int prefetched_pages = 0;                             // at most so many at a time
    std::chrono::milliseconds prefetched_lifetime{1000};  // then nobody comes for such a page
};

// By [database].
StoreOptions store_options(const Config& config, std::string application_name, int connections = 1,
                           int max_waiters = 0);

// For callers that know no PostgreSQL.
using ConnectionUse = pg::Pool::Stats;
using DatabaseError = pg::Error;    // it refused or did not answer; says whether a retry may help
using NoConnectionFree = pg::Busy;  // all connections were in use for too long

class Store {
  public:
    explicit Store(StoreOptions options);

    Horizon horizon();  // throws Unavailable while the first numbering has not ended

    // Position and first rows have been read; the rows come by RecordCursor::next(). They may be
    // those that prefetch() asked for before; such a page does not end a list before `reach`.
    RecordCursor list(const ListQuery& query, const ReplicaPosition& reach = {});
    // A page that goes on with a list will probably be asked for soon: the database may read it now
    // (record_cursor.h). Never waits, never throws Error or Busy.
    void prefetch(const ListQuery& query);

    // The record of an item, in a RecordBatch of one with the horizon of the same snapshot. An
    // empty RecordBatch: no such item is published.
    struct FoundRecord {
        Horizon horizon;
        RecordBatch batch;
    };
    FoundRecord get(std::string_view local_id, bool with_record = true,
                    const ColumnNames& columns = {});

    // What oai.record has. Throws Fault if that is not what the contract says.
    RecordSchema record_schema();
    // Tells the store, which reads all columns of every record before that.
    RecordStatements& record_statements() { return database_.statements; }

    // The leaf sets that the records of these numbers have entered since they were first published,
    // and the sets that they have left, ancestors included.
    struct SetMove {
        std::int64_t seq;
        std::string spec, type;  // "Add", "Remove"
    };
    std::vector<SetMove> set_moves(std::int64_t after, std::int64_t upto);

    // As queries::kQueueState has it.
    struct QueueState {
        std::int64_t queued = -1;          // -1: not known
        std::int64_t blocked_seconds = 0;  // for how long some have been waiting for a lock
        std::string blocked_by{};          // who has the lock; "": nobody was seen to have it
        std::string set_problems{};        // of sets by a rule, one a line
        std::int64_t held = 0;  // items that are gone from their sources, and stay for a while
        std::string source_problems{};  // one a line
    };
    QueueState queue_state();

    // Sets with id > after_id, by id, at most limit, with the horizon of the same snapshot; `lost`
    // as in Position.
    struct Sets {
        Horizon horizon;
        bool lost;
        std::vector<Set> sets;
    };
    Sets sets(int after_id, int limit, const std::optional<SeenPosition>& seen = {});

    // Pages that were read ahead, and how many of them were asked for then.
    RecordPrefetcher::Stats prefetched() const { return database_.prefetcher.stats(); }

    pg::Pool& pool() { return database_.pool; }
    const pg::Pool& pool() const { return database_.pool; }
    // For the questions of other classes. Throws as pg::Pool::acquire().
    pg::Pool::Lease connection() { return database_.connection(); }

  private:
    Database database_;
};

}  // namespace oai
