// SPDX-License-Identifier: MIT
// One page of a list of records, read batch by batch from one snapshot. Belongs to one thread.
// Throws as Store.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "pg/pool.h"
#include "pg/snapshot.h"
#include "store/fetch_plan.h"
#include "store/known_lists.h"
#include "store/list_query.h"
#include "store/record_batch.h"
#include "store/references.h"

namespace oai {

// Gives its connection back as soon as the last row that it needs has been fetched: for a page of
// up to 100 records, or of up to 1000 headers of the whole list, before open() returns, after two
// round trips in all, and after one if it goes on with a list. A page of more keeps it, and its
// snapshot, while the caller works on the batches before the last.
class RecordCursor {
  public:
    // What cursors of one store have in common; all must outlive the cursor.
    struct Source {
        pg::Pool& pool;
        RecordSchemas& schemas;
        References& references;
        KnownLists& known_lists;
        RecordStatements& statements;
        std::chrono::seconds replica_lag;
    };
    // Asks the database nothing yet.
    RecordCursor(const Source& source, ListQuery query);
    RecordCursor(RecordCursor&&) = default;
    RecordCursor& operator=(RecordCursor&&) = delete;

    // Only asks for what open() reads, over this connection, and does not wait for it. Returns
    // false if it is not known yet where such a list stands; then the connection is free again.
    // REQUIRES: not opened.
    bool ask(pg::Pool::Lease lease);
    // Reads the list's position and the first rows; once. The functions below REQUIRE it.
    void open();

    const ListQuery& query() const { return query_; }
    const Position& position() const { return position_; }
    // The next up to ~100 records, or ~1000 headers; an empty RecordBatch: the page or the list has
    // ended.
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
    bool goes_on() const { return progress_.more.value_or(false); }

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

    const Source source_;
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

}  // namespace oai
