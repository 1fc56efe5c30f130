// SPDX-License-Identifier: MIT
#include "store/store.h"

#include <algorithm>

#include "pg/binary.h"
#include "protocol/error.h"
#include "store/queries.h"
#include "store/rows.h"

namespace oai {
namespace {

pg::PoolOptions with_settings(StoreOptions options) {
    const std::string timeout = std::to_string(options.statement_timeout.count());
    // The server ends a statement by itself. Where it does not, it hangs.
    options.pool.result_timeout =
        options.statement_timeout +
        std::max(options.statement_timeout / 6, std::chrono::milliseconds{1000});
    auto& settings = options.pool.settings;
    settings.insert(settings.begin(),
                    {
                        {"default_transaction_read_only", "on"},
                        {"statement_timeout", timeout},
                        {"idle_in_transaction_session_timeout", timeout},
                        // Readers wait for no lock but one on a whole table, and then all of them
                        // would wait. A harvester that comes again does not keep a worker.
                        {"lock_timeout", "1000"},
                        {"jit", "off"},  // compiling costs more than a page
                        // Every question has one index that answers it. A planner whose statistics
                        // mislead it must not find another way; sorting stays possible, for without
                        // it a page was once planned as a merge of two whole tables.
                        {"random_page_cost", "1.1"},
                        {"enable_seqscan", "off"},
                        {"enable_bitmapscan", "off"},
                    });
    return std::move(options.pool);
}

}  // namespace

StoreOptions store_options(const Config& config, std::string application_name, int connections,
                           int max_waiters) {
    StoreOptions options;
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
    : replica_lag_(options.replica_lag),
      pool_(with_settings(options)),
      prefetcher_(options.prefetched_pages, options.prefetched_lifetime) {
    pool_.on_exhausted([this] { prefetcher_.drop_oldest(); });
}

Horizon Store::horizon() {
    const pg::Result row = pool_.take()->query(queries::kHorizon);
    Horizon horizon = rows::read_horizon(row, replica_lag_);
    horizon.earliest = pg::read_timestamptz(row.bytes(0, 3));
    return horizon;
}

RecordCursor::Source Store::source() {
    return {pool_, schemas_, references_, known_lists_, statements_, replica_lag_};
}

// A page that was read ahead is read anew where its connection was lost meanwhile, or where a later
// answer has promised what the end of the list then lacked.
RecordCursor Store::list(const ListQuery& query, const ReplicaPosition& reach) {
    if (const auto asked = prefetcher_.take(query)) try {
            asked->open();
            if (asked->goes_on() || reaches(asked->position().horizon, reach))
                return std::move(*asked);
        } catch (const pg::Error&) {
        }
    RecordCursor cursor(source(), query);
    cursor.open();
    return cursor;
}

void Store::prefetch(const ListQuery& query) {
    if (!prefetcher_.wants()) return;
    auto lease = pool_.take_idle();
    if (!lease) return;
    auto cursor = std::make_unique<RecordCursor>(source(), query);
    try {
        if (cursor->ask(*std::move(lease))) prefetcher_.add(std::move(cursor));
    } catch (const pg::Error&) {
        // Whoever asks for the page will be told.
    }
}

RecordSchema Store::record_schema() {
    return RecordSchema(pool_.take()->query(queries::kRecordSchema));
}

Store::FoundRecord Store::get(std::string_view local_id, bool with_record,
                              const ColumnNames& columns) {
    const auto connection = pool_.take();
    pg::Result row = connection->query(
        with_record ? statements_.of(queries::kGetRecord, columns) : queries::kGetHeader,
        pg::Parameters().add(local_id));
    const Horizon horizon = rows::read_horizon(row, replica_lag_);
    const RecordSchema& schema = schemas_.of(row);
    FoundRecord found{.horizon = horizon, .batch = RecordBatch(std::move(row), schema)};
    references_.resolve(
        found.batch, [&]() -> auto& { return *connection; });
    return found;
}

Store::Sets Store::sets(int after_id, int limit, const std::optional<SeenPosition>& seen) {
    pg::Parameters p;
    p.add(after_id).add(limit);
    rows::add_seen(p, seen);
    const pg::Result found = pool_.take()->query(queries::kSets, p);
    return {.horizon = rows::read_horizon(found, replica_lag_),
            .lost = pg::read_bool(found.bytes(0, 3)),
            .sets = rows::read_sets(found)};
}

Store::QueueState Store::queue_state() {
    const pg::Result row = pool_.take()->query(queries::kQueueState);
    return {.changes = pg::read_integer(row.bytes(0, 0)),
            .blocked_seconds = row.is_null(0, 1) ? 0 : pg::read_integer(row.bytes(0, 1)),
            .blocked_by = std::string(row.bytes(0, 2))};
}

std::int64_t Store::exclusions_version() {
    const pg::Result row = pool_.take()->query(queries::kExclusionsVersion);
    if (row.rows() == 0) throw Fault("oai.exclusions has no row: install the schema");
    return pg::read_integer(row.bytes(0, 0));
}

std::vector<ExcludedRecord> Store::exclusions() {
    const pg::Result rows = pool_.take()->query(queries::kExclusions);
    std::vector<ExcludedRecord> out;
    for (int i = 0; i < rows.rows(); ++i)
        out.push_back({std::string(rows.bytes(i, 0)), pg::read_integer(rows.bytes(i, 1))});
    return out;
}

}  // namespace oai
