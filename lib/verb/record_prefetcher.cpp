// SPDX-License-Identifier: MIT
#include "verb/record_prefetcher.h"

#include <utility>

#include "base/timing.h"

namespace oai {

RecordPrefetcher::RecordPrefetcher(RecordCursor& cursor, const RecordWriter& writer,
                                   HelperPool& helpers, std::chrono::nanoseconds& database)
    : cursor_(cursor),
      writer_(writer),
      helpers_(helpers),
      database_(database),
      takes_long_(writer.takes_long()) {}

RecordPrefetcher::~RecordPrefetcher() {
    if (making_ && making_->valid()) making_->wait();
}

void RecordPrefetcher::look_ahead() {
    if (!takes_long_ || !helpers_.has_idle_core()) return;
    ahead_ = measure(database_, [&] { return cursor_.next(); });
    if (ahead_->size() > 0)
        making_ = helpers_.try_start([this, &batch = *ahead_] { return writer_.make(batch); });
}

RecordPrefetcher::Ready RecordPrefetcher::next() {
    if (!ahead_) {
        RecordBatch batch = measure(database_, [&] { return cursor_.next(); });
        if (batch.size() == 0) return {};
        look_ahead();
        RecordWriter::Made made = writer_.make(batch);
        return {std::move(batch), std::move(made)};
    }
    Ready ready;
    if (making_) {
        ready.made = making_->get();  // only then may the batch move
    } else if (ahead_->size() > 0) {
        ready.made = writer_.make(*ahead_);
    }
    ready.batch = std::move(*ahead_);
    ahead_.reset();
    making_.reset();
    return ready;
}

}  // namespace oai
