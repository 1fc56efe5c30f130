// SPDX-License-Identifier: MIT
#include "store/store.h"

#include <algorithm>

#include "pg/binary.h"
#include "store/queries.h"

namespace oai {
namespace {

pg::PoolOptions with_settings(StoreOptions options) {
    const std::string timeout = std::to_string(options.statement_timeout.count());
    // PostgreSQL ends the statement itself; a server that has not answered long after that hangs.
    options.pool.result_timeout =
        options.statement_timeout +
        std::max(options.statement_timeout / 6, std::chrono::milliseconds{1000});
    auto& settings = options.pool.settings;
    settings.insert(settings.begin(),
                    {
                        {"search_path", "oai"},  // statements name no schema but for a view's
                        {"default_transaction_read_only", "on"},
                        {"statement_timeout", timeout},
                        {"idle_in_transaction_session_timeout", timeout},
                        // A reader can only be blocked by a lock on a whole table, which would
                        // block all workers. After a 503 harvesters retry.
                        {"lock_timeout", "1000"},
                        // Every query has one suitable index; the planner must not choose another
                        // plan because of misleading statistics. Sorting stays enabled, since
                        // without it a page was once planned as a merge of two whole tables.
                        {"random_page_cost", "1.1"},
                        {"enable_seqscan", "off"},
                        {"enable_bitmapscan", "off"},
                    });
    return std::move(options.pool);
}

std::vector<Set> read_sets(const pg::Result& rows) {
    std::vector<Set> sets;
    sets.reserve(static_cast<std::size_t>(rows.rows()));
    for (int i = 0; i < rows.rows() && !rows.is_null(i, 4); ++i)
        sets.push_back({.id = static_cast<int>(pg::read_integer(rows.bytes(i, 4))),
                        .spec = std::string(rows.bytes(i, 5)),
                        .name = std::string(rows.bytes(i, 6)),
                        .description = std::string(rows.bytes(i, 7))});
    // With `order by` the planner would sort rows that the index already returns in order.
    std::sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.id < b.id; });
    return sets;
}

}  // namespace

StoreOptions store_options(const Config& config, std::string application_name, int connections,
                           int max_waiters) {
    StoreOptions options;
    if (!config.repository.only.empty()) {  // schema/models/views.sql
        options.pool.settings.emplace_back("search_path", "oai_view");
        options.pool.settings.emplace_back("oai.view", config.repository.only);
    }
    options.pool.conninfo = config.database.connection;
    options.pool.application_name = std::move(application_name);
    options.pool.connections = connections;
    options.prefetched_pages = connections / 2;
    options.pool.max_waiters = max_waiters;
    options.pool.max_wait = std::chrono::milliseconds{config.database.max_wait_milliseconds};
    options.statement_timeout =
        std::chrono::milliseconds{config.database.statement_timeout_milliseconds};
    options.pool.max_age = std::chrono::seconds{config.database.connection_seconds};
    options.replica_lag = std::chrono::seconds{config.database.replica_lag_seconds};
    return options;
}

Store::Store(StoreOptions options)
    : database_{
          .pool = pg::Pool(with_settings(options)),
          .replica_lag = options.replica_lag,
          .prefetcher = RecordPrefetcher(options.prefetched_pages, options.prefetched_lifetime)} {}

Horizon Store::horizon() {
    const pg::Result row = connection()->query(queries::kHorizon);
    Horizon horizon = read_horizon(row, database_.replica_lag);
    horizon.earliest = pg::read_timestamptz(row.bytes(0, 3));
    return horizon;
}

// A page that was read ahead is discarded and read again if its connection failed, or if it is the
// last page and its snapshot does not reach `reach`.
RecordCursor Store::list(const ListQuery& query, const ReplicaPosition& reach) {
    if (const auto cursor = database_.prefetcher.take(query)) try {
            cursor->open();
            if (cursor->has_next_page() || reaches(cursor->position().horizon, reach))
                return std::move(*cursor);
        } catch (const pg::Error&) {
        }
    RecordCursor cursor(database_, query);
    cursor.open();
    return cursor;
}

void Store::prefetch(const ListQuery& query) {
    if (!database_.prefetcher.should_prefetch()) return;
    auto lease = database_.pool.acquire_idle();
    if (!lease) return;
    auto cursor = std::make_unique<RecordCursor>(database_, query);
    try {
        if (cursor->start(*std::move(lease))) database_.prefetcher.add(std::move(cursor));
    } catch (const pg::Error&) {
        // The request for the page will meet the same error and report it.
    }
}

RecordSchema Store::record_schema() {
    return RecordSchema(connection()->query(queries::kRecordSchema));
}

Store::FoundRecord Store::get(std::string_view local_id, bool with_record,
                              const ColumnNames& columns) {
    const auto database = connection();
    pg::Result row = database->query(database_.statements.of(RecordRows::one, with_record, columns),
                                     pg::Parameters().add(local_id));
    const Horizon horizon = read_horizon(row, database_.replica_lag);
    const RecordSchema& schema = database_.schemas.of(row);
    FoundRecord found{.horizon = horizon, .batch = RecordBatch(std::move(row), schema)};
    database_.references.resolve(found.batch, &*database);
    return found;
}

Store::Sets Store::sets(int after_id, int limit, const std::optional<SeenPosition>& seen) {
    pg::Parameters p;
    p.add(after_id).add(limit);
    add_seen(p, seen);
    const pg::Result found = connection()->query(queries::kSets, p);
    return {.horizon = read_horizon(found, database_.replica_lag),
            .lost = pg::read_bool(found.bytes(0, 3)),
            .sets = read_sets(found)};
}

Store::QueueState Store::queue_state() {
    const pg::Result row = connection()->query(queries::kQueueState);
    return {.queued = pg::read_integer(row.bytes(0, 0)),
            .blocked_seconds = row.is_null(0, 1) ? 0 : pg::read_integer(row.bytes(0, 1)),
            .blocked_by = std::string(row.bytes(0, 2)),
            .set_problems = std::string(row.bytes(0, 3)),
            .held = pg::read_integer(row.bytes(0, 4)),
            .source_problems = std::string(row.bytes(0, 5))};
}

std::vector<Store::SetMove> Store::set_moves(std::int64_t after, std::int64_t upto) {
    const pg::Result rows =
        connection()->query(queries::kSetMoves, pg::Parameters().add(after).add(upto));
    std::vector<SetMove> moves;
    for (int i = 0; i < rows.rows(); ++i)
        moves.push_back({pg::read_integer(rows.bytes(i, 0)), std::string(rows.bytes(i, 1)),
                         std::string(rows.bytes(i, 2))});
    return moves;
}

}  // namespace oai
