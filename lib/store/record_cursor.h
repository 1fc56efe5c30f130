// SPDX-License-Identifier: MIT
// One page of a list of records, read batch by batch from one snapshot. Belongs to one thread.
// Throws as Store.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
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
// up to 100 records before the constructor returns, after two round trips in all, and after one if
// it goes on with a list. A page of more
// keeps it, and its snapshot, while the caller works on the batches before the last.
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
    // Reads the list's position and the first rows.
    RecordCursor(const Source& source, ListQuery query);
    RecordCursor(const RecordCursor&) = delete;
    RecordCursor& operator=(const RecordCursor&) = delete;

    const Position& position() const { return position_; }
    // The next up to ~100 records; an empty RecordBatch: the page or the list has ended.
    RecordBatch next();
    // The list has a record beyond those that next() gave. Valid once next() has given an empty
    // RecordBatch or ListQuery::records records in all, and after stop().
    bool more() const { return progress_.more.value_or(false) || !ready_.empty(); }
    // The caller's budget is spent: reads no further, except to know more(). Then the connection is
    // free.
    void stop();

  private:
    bool begin(bool commit_first);
    void find_position();
    bool resume();
    void read_batch();
    void fetch();
    void check_order(const RecordBatch& batch);
    void end_if_settled();

    const Source source_;
    const ListQuery query_;
    Position position_;
    PageProgress progress_;
    std::int64_t last_seq_ = 0;      // the number up to which the list has been read
    std::deque<RecordBatch> ready_;  // read, but not yet given out
    // The connection, a snapshot in it, and the fetch whose rows have not been received yet. In
    // this order: the snapshot ends before its connection is given back.
    std::optional<pg::Pool::Lease> lease_;
    std::optional<pg::Snapshot> snapshot_;
    std::optional<Fetch> under_way_;
};

}  // namespace oai
