// SPDX-License-Identifier: MIT
#include "slice_maker.h"

#include <utility>

#include "base/timing.h"

namespace oai {

SliceMaker::SliceMaker(Listing& listing, const RecordWriter& writer, SpareThreads& spare,
                       std::chrono::nanoseconds& database)
    : listing_(listing), writer_(writer), spare_(spare), database_(database), takes_long_(writer.takes_long()) {}

SliceMaker::~SliceMaker() {
    if (making_ && making_->valid()) making_->wait();
}

void SliceMaker::look_ahead() {
    if (!takes_long_ || !spare_.idle()) return;
    ahead_ = timed(database_, [&] { return listing_.next(); });
    if (ahead_->size() > 0) making_ = spare_.try_start([this, &slice = *ahead_] { return writer_.make(slice); });
}

SliceMaker::Ready SliceMaker::next() {
    if (!ahead_) {
        Slice slice = timed(database_, [&] { return listing_.next(); });
        if (slice.size() == 0) return {};
        look_ahead();
        RecordWriter::Made made = writer_.make(slice);
        return {std::move(slice), std::move(made)};
    }
    Ready ready;
    if (making_) {
        ready.made = making_->get();  // only then may the slice move
    } else if (ahead_->size() > 0) {
        ready.made = writer_.make(*ahead_);
    }
    ready.slice = std::move(*ahead_);
    ahead_.reset();
    making_.reset();
    return ready;
}

}  // namespace oai
