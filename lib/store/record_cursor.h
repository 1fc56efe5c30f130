// SPDX-License-Identifier: MIT
// Reads pages of lists: ListQuery is the request for one page; next_fetch() plans its fetches;
// RecordCursor reads it, batch by batch, from one snapshot; RecordPrefetcher reads pages ahead.
// Throws as Store does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pg/pool.h"
#include "protocol/record.h"
#include "store/record_batch.h"

namespace oai {

namespace pg {
class Snapshot;
}

// What the earlier pages of a list have shown: all numbers up to seq, published up to the second h.
struct SeenPosition {
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const SeenPosition&) const = default;
};

// The request for one page.
struct ListQuery {
    bool with_records = false;       // false: headers only
    ColumnNames columns{};           // to be read of each record
    std::optional<Seconds> from{};   // first second
    std::optional<Seconds> until{};  // last second
    std::optional<std::string> set{};
    // Columns in which the records must have a value. Only a hint: if Position::required_id is not
    // set, records without a value may be returned as well.
    std::vector<std::string> required{};
    int records = 100;  // the maximum, at least 1
    // For a page after the first, from the token:
    std::optional<std::int64_t> after{};
    std::int64_t upto = 0;  // 0: up to the horizon
    std::optional<SeenPosition> seen{};
    bool want_size = false;  // whether to count the list, for the first page
    int count_limit = 10'000;
    bool operator==(const ListQuery&) const = default;
};

// The sets by which a list is read; the whole list if there is none.
struct ListSource {
    std::optional<std::int64_t> set_id{};  // of the query's set
    // An internal set with the items that have the required columns, which is no set of the
    // repository (schema/core/rules.sql).
    std::optional<std::int64_t> required_id{};
    bool operator==(const ListSource&) const = default;
};

// The bounds and the state of a list, read in the snapshot of its page.
struct Position : ListSource {
    Horizon horizon{};
    bool set_exists = true;  // false: no such set, and the list is empty
    bool lost = false;       // numbers of ListQuery::seen are lost after a failover (oai.fork)
    std::int64_t after = 0;
    std::int64_t upto = 0;    // show seq <= this
    bool upto_fixed = false;  // `until` is before the horizon, so that `upto` is final
    std::int64_t size = -1;   // completeListSize, -1 unknown or not asked for
};

// Reads the horizon from columns 0 to 2 of row 0. lag: becomes Horizon::lag. Throws Unavailable
// before the first numbering has ended.
Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag);
// Adds the two parameters for SeenPosition, which may be null.
void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen);
pg::Parameters position_parameters(const ListQuery& query);  // of queries::kPosition

// Plans the fetches of a page. Pure: t/unit/store/fetch_plan.cpp tries all small cases against a
// model. A cursor over a set is opened for as many numbers as the page lacks records. Some of these
// numbers may belong to no item any more; then it returns fewer records, and another one is opened.

// The progress of a page.
struct PageProgress {
    int remaining = 0;    // records that the page still lacks
    bool by_set = false;  // the list is read by set, and rows may have no record
    // For a page of a set that is read by one fetch: sends COMMIT with that fetch. If the fetch
    // does not complete the page, the page must be read again with this set to false.
    bool commit_first = false;
    int batch_rows = 100;        // rows of a full fetch
    int cursors = 0;             // number of cursors opened
    int cursor_rows = 0;         // rows that the last cursor may still return
    int cursor_numbers = 0;      // numbers that the last cursor reads at most
    int numbers = 0;             // numbers that it has read
    std::optional<bool> more{};  // whether the list goes on after the page; nullopt: unknown
};

struct Fetch {
    int open_rows = 0;    // open a cursor for so many numbers first; 0: use the current one
    int rows = 0;         // to fetch, at least 1
    bool commit = false;  // probably the last fetch
};

// Returns the next fetch. The last fetch of a page requests one record beyond it, to learn
// progress.more. REQUIRES: progress.more is unknown.
Fetch next_fetch(const PageProgress& progress);

// Updates the progress after a fetch that returned `rows` with `records` records. `numbers`: how
// many the cursor has read up to the last row; ignored unless by_set. Returns how many of the
// records belong to the page; these come first.
int update_progress(PageProgress& progress, const Fetch& fetch, int rows, int records, int numbers);

// Whether to request the next rows while the caller works on the last ones: the page needs more,
// and the current cursor has some.
bool can_fetch_ahead(const PageProgress& progress);

// Remembers the sets by which lists were read, so that the rows of a later page can be requested
// together with its position. RecordCursor notices an outdated entry. Thread-safe.
class KnownLists {
  public:
    // nullopt: unknown. The whole list is always known.
    std::optional<ListSource> find(const ListQuery& query) const;
    void remember(const ListQuery& query, const ListSource& sets);

  private:
    using Key = std::pair<std::optional<std::string>, std::vector<std::string>>;
    mutable std::mutex mutex_;
    std::map<Key, ListSource> lists_;  // at most 1,000
};

struct Database;

// Reads one page. Returns its connection to the pool as soon as it has fetched the last row that it
// needs: for a page of up to 100 records, or of up to 1000 headers of the whole list, before open()
// returns, after two round trips or, for a page after the first, one. Not thread-safe.
class RecordCursor {
  public:
    // Sends no query yet. The database must outlive the cursor.
    RecordCursor(Database& database, ListQuery query);
    ~RecordCursor();
    RecordCursor(RecordCursor&&) noexcept;
    RecordCursor& operator=(RecordCursor&&) = delete;

    // Sends the queries of open() over this connection without waiting for results. Returns false,
    // and releases the connection, if KnownLists has no entry for the list. REQUIRES: not opened.
    bool start(pg::Pool::Lease lease);
    // Reads the list's position and the first rows. To be called once, before the functions below.
    void open();

    const ListQuery& query() const { return query_; }
    const Position& position() const { return position_; }
    // The next batch of about 100 records or 1000 headers; an empty one at the end of the page.
    RecordBatch next();
    // Whether the list goes on after the records that next() returned. Valid after next() has
    // returned an empty batch, or ListQuery::records records in all, and after stop().
    bool more() const { return progress_.more.value_or(false) || !ready_.empty(); }
    // Ends the page early, since the caller's budget is spent. Reads only what more() needs and
    // returns the connection.
    void stop();
    // Whether next() has returned the whole page and the connection is back in the pool.
    bool is_read() const { return !lease_ && ready_.empty(); }
    // Whether the list is known to go on after the page, whatever next() has returned.
    bool has_next_page() const { return progress_.more.value_or(false); }

  private:
    bool is_short() const { return query_.records <= batch_rows_; }
    PageProgress new_progress(bool commit_first) const;
    bool read_first_rows(bool commit_first);
    void find_position();
    bool send_resume();
    bool receive_resume();
    void read_batch();
    void fetch();
    void check_order(const RecordBatch& batch);
    void release_if_done();

    Database& database_;
    const ListQuery query_;
    const int batch_rows_;  // rows of a full fetch
    Position position_;
    PageProgress progress_;
    std::int64_t last_seq_ = 0;      // the number up to which the list has been read
    std::deque<RecordBatch> ready_;  // received, but not yet returned by next()
    // The connection, its snapshot, and the fetch whose rows have not been received yet. The order
    // matters: the snapshot ends before its connection is returned.
    std::optional<pg::Pool::Lease> lease_;
    std::unique_ptr<pg::Snapshot> snapshot_;
    std::optional<Fetch> pending_fetch_;
};

// Holds pages that the database reads while their harvesters still receive the previous ones. Each
// occupies a connection until it is requested, the connection is needed otherwise, or a second has
// passed. Such a page has the responseDate of its snapshot, since an early one is safe
// (protocol/record.h). Thread-safe.
class RecordPrefetcher {
  public:
    explicit RecordPrefetcher(int max_pages,
                              std::chrono::milliseconds lifetime = std::chrono::seconds{1})
        : max_pages_(max_pages), lifetime_(lifetime) {}

    // Whether to read another page ahead: there is room, and at least half of the previous ones
    // were requested. If they were not, still allows one in 32, to notice when that changes.
    bool should_prefetch();
    void add(std::unique_ptr<RecordCursor> cursor);  // REQUIRES: start() returned true
    // Removes and returns the page of an equal query; nullptr: there is none.
    std::unique_ptr<RecordCursor> take(const ListQuery& query);
    void drop_oldest();  // returns after its connection is back in the pool

    struct Stats {
        std::int64_t started = 0, used = 0;
    };
    Stats stats() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Page {
        std::unique_ptr<RecordCursor> cursor;
        Clock::time_point expires;
    };
    void drop_expired(const std::stop_token& stop);

    const int max_pages_;
    const std::chrono::milliseconds lifetime_;
    mutable std::mutex mutex_;
    std::deque<Page> pages_;  // the oldest first
    int credit_ = 16;         // pages that may be read in vain; a page that is used adds two
    int refused_ = 0;
    Stats stats_;
    // Whether the thread waits for a page to be added. While it waits for one to expire it need not
    // be woken, since no page expires before an older one.
    bool resting_ = false;
    std::condition_variable_any added_;
    std::jthread thread_;  // drops expired pages; started with the first page
};

// The state that all queries of a store share.
struct Database {
    // Drops the oldest page that was read ahead if the pool has no free connection. Throws as
    // pg::Pool::acquire() does.
    pg::Pool::Lease connection();

    pg::Pool pool;
    const std::chrono::seconds replica_lag;
    RecordSchemas schemas{};
    References references{};
    KnownLists known_lists{};
    RecordStatements statements{};
    RecordPrefetcher prefetcher;  // declared last, since its pages use all members above
};

}  // namespace oai
