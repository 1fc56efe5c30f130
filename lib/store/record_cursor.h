// SPDX-License-Identifier: MIT
// Pages of lists of records: what is asked for one, which rows to fetch next, the cursor that reads
// it batch by batch from one snapshot, and the pages that are read ahead. Throws as Store.
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

// What earlier pages of a list have shown: numbers up to seq, and that these were all that was
// published up to the second h.
struct SeenPosition {
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const SeenPosition&) const = default;
};

// What is asked of the store for one page.
struct ListQuery {
    bool with_records = false;       // false: headers only
    ColumnNames columns{};           // of the records, that are to be read
    std::optional<Seconds> from{};   // first second
    std::optional<Seconds> until{};  // last second
    std::optional<std::string> set{};
    // Columns in which the records must have a value. Helps to find them: unless all items have
    // one, or Position::required_id is given, records without may come as well.
    std::vector<std::string> required{};
    int records = 100;  // at most so many; at least 1
    // Going on with a list (from its token):
    std::optional<std::int64_t> after{};
    std::int64_t upto = 0;  // 0: open
    std::optional<SeenPosition> seen{};
    bool want_size = false;  // first page: count
    int count_limit = 10'000;
    bool operator==(const ListQuery&) const = default;
};

// By which sets a list is read.
struct ListSource {
    std::optional<std::int64_t> set_id{};  // of the query's set
    // Those items that have what the query requires are members of this, which is no set of the
    // repository (schema/core/rules.sql).
    std::optional<std::int64_t> required_id{};
    bool operator==(const ListSource&) const = default;
};

// Where a list stands, read in the snapshot of its page.
struct Position : ListSource {
    Horizon horizon{};
    bool set_exists = true;  // false: no such set, and the list is empty
    bool lost = false;       // some of what ListQuery::seen names (oai.fork)
    std::int64_t after = 0;
    std::int64_t upto = 0;    // show seq <= this
    bool upto_fixed = false;  // `until` lies before the horizon: this bound will not move any more
    std::int64_t size = -1;   // completeListSize, -1 unknown or not asked for
};

// Columns 0 to 2 of row 0 of a statement that reads a horizon beside whatever else. lag: becomes
// Horizon::lag. Throws Unavailable before the first numbering has ended.
Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag);
// Both parameters by which a statement is told what was seen.
void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen);
pg::Parameters position_parameters(const ListQuery& query);  // of queries::kPosition

// Which rows to fetch next for a page of a list, decided from what has come so far. Pure:
// t/unit/store/fetch_plan.cpp tries all small cases against a model. A cursor over a set reads a
// number for each record that the page still lacks, but some may have no item any more: then it
// gives fewer rows than numbers, or rows without a record, and another may have to be opened.

// How far the page has come.
struct PageProgress {
    int remaining = 0;    // records that the page may still take
    bool by_set = false;  // rows may be without a record
    // For a page of a set that is read by one fetch: COMMIT goes with that fetch, and if the page
    // is not settled by then, it has to be read anew, with this being false.
    bool commit_first = false;
    int batch_rows = 100;        // that one fetch reads as a rule
    int cursors = 0;             // opened so far
    int cursor_rows = 0;         // that the last one may still give
    int cursor_numbers = 0;      // that the last one may read in all
    int numbers = 0;             // that it has read
    std::optional<bool> more{};  // whether the list has a record beyond the page; not yet known
};

struct Fetch {
    int open_rows = 0;    // open a cursor of so many numbers first; 0: go on with the one there is
    int rows = 0;         // to fetch, at least 1
    bool commit = false;  // nothing will be fetched after this, as far as can be known
};

// What to fetch until progress.more is known. The last fetch of a page asks for one record beyond
// the page. REQUIRES: it is not known yet.
Fetch next_fetch(const PageProgress& progress);

// Notes what the fetch gave: `rows`, in these so many `records`, and `numbers` that the cursor had
// read with the last of them, 0 if there was none (a list that is not by set: a row, a number).
// Returns how many of the records belong to the page: the first ones.
int note_fetched(PageProgress& progress, const Fetch& fetch, int rows, int records, int numbers);

// Whether to fetch the next rows while the caller works on those that have come: the page needs
// them, and the cursor that is open has them.
bool can_fetch_ahead(const PageProgress& progress);

// By which sets the lists of queries have been read, so that a page that goes on with a list can be
// asked for at once. May be out of date: the page's own snapshot says what holds. Thread-safe.
class KnownLists {
  public:
    // nullopt: no page of such a list has been read yet. A list of everything is always known.
    std::optional<ListSource> find(const ListQuery& query) const;
    void note(const ListQuery& query, const ListSource& sets);

  private:
    using Key = std::pair<std::optional<std::string>, std::vector<std::string>>;
    mutable std::mutex mutex_;
    std::map<Key, ListSource> lists_;  // at most 1,000
};

struct Database;

// One page. Gives its connection back as soon as the last row that it needs has been fetched: for a
// page of up to 100 records, or of up to 1000 headers of the whole list, before open() returns,
// after two round trips in all, and after one if it goes on with a list. Belongs to one thread.
class RecordCursor {
  public:
    // Asks the database, which must outlive the cursor, nothing yet.
    RecordCursor(Database& database, ListQuery query);
    ~RecordCursor();
    RecordCursor(RecordCursor&&) noexcept;
    RecordCursor& operator=(RecordCursor&&) = delete;

    // Only asks for what open() reads, over this connection, and does not wait for it. Returns
    // false if it is not known yet where such a list stands; then the connection is free again.
    // REQUIRES: not opened.
    bool ask(pg::Pool::Lease lease);
    // Reads the list's position and the first rows; once. The functions below REQUIRE it.
    void open();

    const ListQuery& query() const { return query_; }
    const Position& position() const { return position_; }
    // The next up to ~100 records, or ~1000 headers; none: the page or the list has ended.
    RecordBatch next();
    // The list has a record beyond those that next() gave. Valid once next() has given an empty
    // RecordBatch or ListQuery::records records in all, and after stop().
    bool more() const { return progress_.more.value_or(false) || !ready_.empty(); }
    // The caller's budget is spent: reads no further, except to know more(). Then the connection is
    // free.
    void stop();
    // next() has given all that belongs to the page, and the connection is free.
    bool is_read() const { return !lease_ && ready_.empty(); }
    // The list is known to have a record beyond the page, whatever next() has given.
    bool has_next_page() const { return progress_.more.value_or(false); }

  private:
    bool is_short() const { return query_.records <= batch_rows_; }
    PageProgress no_progress(bool commit_first) const;
    bool begin(bool commit_first);
    void find_position();
    bool ask_to_resume();
    bool resume();
    void read_batch();
    void fetch();
    void check_order(const RecordBatch& batch);
    void end_if_settled();

    Database& database_;
    const ListQuery query_;
    const int batch_rows_;  // that one fetch reads
    Position position_;
    PageProgress progress_;
    std::int64_t last_seq_ = 0;      // the number up to which the list has been read
    std::deque<RecordBatch> ready_;  // read, but not yet given out
    // The connection, a snapshot in it, and the fetch whose rows have not been received yet. In
    // this order: the snapshot ends before its connection is given back.
    std::optional<pg::Pool::Lease> lease_;
    std::unique_ptr<pg::Snapshot> snapshot_;
    std::optional<Fetch> under_way_;
};

// Pages that the database reads while a harvester reads the ones before. Each has a connection of
// its own until somebody takes it, a connection is needed for something else, or a second has
// passed. It is answered as of when it was read: an early responseDate is safe (protocol/record.h).
// Thread-safe.
class RecordPrefetcher {
  public:
    explicit RecordPrefetcher(int max_pages,
                              std::chrono::milliseconds lifetime = std::chrono::seconds{1})
        : max_pages_(max_pages), lifetime_(lifetime) {}

    // Whether another page should be read ahead: there is room for it, and those before it were
    // taken more often than not; else one of 32 is read to see whether that has changed.
    bool should_prefetch();
    void add(std::unique_ptr<RecordCursor> asked);  // whose ask() returned true
    // The page that was asked for by such a query; nullptr: there is none.
    std::unique_ptr<RecordCursor> take(const ListQuery& query);
    void drop_oldest();  // its connection is free when this returns

    struct Stats {
        std::int64_t asked = 0, taken = 0;
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
    int credit_ = 16;         // what may be read in vain; a page that is taken gives two
    int refused_ = 0;
    Stats stats_;
    // The thread waits for a page, not for one to expire: no page expires before one that was added
    // earlier, so that it need not be woken for each.
    bool resting_ = false;
    std::condition_variable_any added_;
    std::jthread thread_;  // drops what has expired; runs since the first page was added
};

// What all questions of a store share.
struct Database {
    // Throws as pg::Pool::acquire(). The oldest page that was read ahead gives up its own.
    pg::Pool::Lease connection();

    pg::Pool pool;
    const std::chrono::seconds replica_lag;
    RecordSchemas schemas{};
    References references{};
    KnownLists known_lists{};
    RecordStatements statements{};
    RecordPrefetcher prefetcher;  // the last, since its pages use all of the above
};

}  // namespace oai
