// SPDX-License-Identifier: MIT
// The slices of a listing with what the stylesheets make of them. Where that takes long and a core is idle, the next slice
// is made by another thread meanwhile: two at a time, in the list's order.
#pragma once

#include <chrono>
#include <future>
#include <optional>

#include "base/spare_threads.h"
#include "record_writer.h"
#include "store.h"

namespace oai {

class SliceMaker {
  public:
    // The arguments must outlive it. database: what waiting for the listing takes is added to it.
    SliceMaker(Listing& listing, const RecordWriter& writer, SpareThreads& spare, std::chrono::nanoseconds& database);
    ~SliceMaker();  // waits for the other thread
    SliceMaker(const SliceMaker&) = delete;
    SliceMaker& operator=(const SliceMaker&) = delete;

    struct Ready {
        Slice slice;
        RecordWriter::Made made;
    };
    // As Listing::next(): a slice without records is the end. Throws also what RecordWriter::make() does.
    Ready next();
    // Slices have been read that next() has not given out.
    bool has_more() const { return ahead_ && ahead_->size() > 0; }

  private:
    void look_ahead();
    Listing& listing_;
    const RecordWriter& writer_;
    SpareThreads& spare_;
    std::chrono::nanoseconds& database_;
    const bool takes_long_;
    std::optional<Slice> ahead_;
    std::optional<std::future<RecordWriter::Made>> making_;  // of ahead_
};

}  // namespace oai
