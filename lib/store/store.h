// SPDX-License-Identifier: MIT
// The queries of the verbs. A page and its horizon come from one snapshot. Knows no XML and no
// HTTP. Throws pg::Error, pg::Busy, Unavailable (the first numbering has not ended) and Fault
// (oai.record breaks its contract). Thread-safe.
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

// The store adds settings to the pool's: read-only transactions, and no scans of whole tables.
struct StoreOptions {
    pg::PoolOptions pool;
    // PostgreSQL ends a statement that takes longer, and a session that idles in a transaction for
    // longer; both become a pg::Error with unavailable(). 0: never.
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::seconds replica_lag{0};                  // becomes Horizon::lag
    int prefetched_pages = 0;                             // the maximum at a time
    std::chrono::milliseconds prefetched_lifetime{1000};  // after which such a page is dropped
};

// From [database] of the configuration.
StoreOptions store_options(const Config& config, std::string application_name, int connections = 1,
                           int max_waiters = 0);

// Aliases for callers that may not include pg/.
using ConnectionUse = pg::Pool::Stats;
using DatabaseError = pg::Error;    // unavailable() says whether a retry may succeed
using NoConnectionFree = pg::Busy;  // all connections were in use for too long

class Store {
  public:
    explicit Store(StoreOptions options);

    Horizon horizon();  // throws Unavailable while the first numbering has not ended

    // Returns an opened cursor. It may be one that prefetch() started; such a page is not the last
    // of its list unless its snapshot reaches `reach`.
    RecordCursor list(const ListQuery& query, const ReplicaPosition& reach = {});
    // Lets the database read a page ahead that will probably be requested soon (record_cursor.h).
    // Never waits, never throws pg::Error or pg::Busy.
    void prefetch(const ListQuery& query);

    // Reads one record and the horizon of the same snapshot. The batch is empty if the item does
    // not exist or is not published.
    struct FoundRecord {
        Horizon horizon;
        RecordBatch batch;
    };
    FoundRecord get(std::string_view local_id, bool with_record = true,
                    const ColumnNames& columns = {});

    // Reads the columns of oai.record. Throws Fault if they break the contract.
    RecordSchema record_schema();
    // set_schema() there makes the store read only the columns that are needed instead of all.
    RecordStatements& record_statements() { return database_.statements; }

    // For the records with these numbers: the leaf sets that they entered after their first
    // publication, and the sets that they left, with ancestors.
    struct SetMove {
        std::int64_t seq;
        std::string spec, type;  // "Add", "Remove"
    };
    std::vector<SetMove> set_moves(std::int64_t after, std::int64_t upto);

    // The result of queries::kQueueState.
    struct QueueState {
        std::int64_t queued = -1;          // -1: not known
        std::int64_t blocked_seconds = 0;  // for how long changes have been waiting for a lock
        std::string blocked_by{};          // who holds the lock; "": unknown
        std::string set_problems{};        // problems of sets by a rule, one per line
        std::int64_t held = 0;             // items missing in their sources, but not deleted yet
        std::string source_problems{};     // one per line
    };
    QueueState queue_state();

    // Reads up to `limit` sets with id > after_id, by id, and the horizon of the same snapshot.
    // `lost`: as in Position.
    struct Sets {
        Horizon horizon;
        bool lost;
        std::vector<Set> sets;
    };
    Sets sets(int after_id, int limit, const std::optional<SeenPosition>& seen = {});

    // How many pages were read ahead, and how many of these were requested.
    RecordPrefetcher::Stats prefetched() const { return database_.prefetcher.stats(); }

    pg::Pool& pool() { return database_.pool; }
    const pg::Pool& pool() const { return database_.pool; }
    // For BrowseQueries and SearchQueries. Throws as pg::Pool::acquire() does.
    pg::Pool::Lease connection() { return database_.connection(); }

  private:
    Database database_;
};

}  // namespace oai
