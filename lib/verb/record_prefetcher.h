// SPDX-License-Identifier: MIT
// The batches of a record cursor, with what the stylesheets make of them. Where that takes long and
// a core is idle, the next batch is rendered by another thread meanwhile: two at a time, in the
// list's order. Without it a page would call cursor.next() and writer.make().
#pragma once

#include <chrono>
#include <future>
#include <optional>

#include "base/helper_pool.h"
#include "store/store.h"
#include "verb/record_writer.h"

namespace oai {

class RecordPrefetcher {
  public:
    // The arguments must outlive it. database: what waiting for the cursor takes is added to it.
    RecordPrefetcher(RecordCursor& cursor, const RecordWriter& writer, HelperPool& helpers,
                     std::chrono::nanoseconds& database);
    ~RecordPrefetcher();  // waits for the other thread
    RecordPrefetcher(const RecordPrefetcher&) = delete;
    RecordPrefetcher& operator=(const RecordPrefetcher&) = delete;

    struct Ready {
        RecordBatch batch;
        RecordWriter::Made made;
    };
    // As RecordCursor::next(): a batch without records is the end. Throws also what
    // RecordWriter::make() does.
    Ready next();
    // A batch has been read that next() has not given out.
    bool has_more() const { return ahead_ && ahead_->size() > 0; }

  private:
    void look_ahead();
    RecordCursor& cursor_;
    const RecordWriter& writer_;
    HelperPool& helpers_;
    std::chrono::nanoseconds& database_;
    const bool takes_long_;
    std::optional<RecordBatch> ahead_;
    std::optional<std::future<RecordWriter::Made>> making_;  // of ahead_
};

}  // namespace oai
