// SPDX-License-Identifier: MIT
#include "load/slice.h"

namespace oai::load {
namespace {

// What `known` lacks, as queries::kFill does it.
void fill(Capture& known, const Capture& other) {
    const bool same_file = known.file.empty() || known.file == other.file;
    const bool same_place = same_file && (!known.offset || known.offset == other.offset);
    if (same_place) {
        if (known.file.empty()) known.file = other.file;
        if (!known.offset) known.offset = other.offset;
        if (!known.length) known.length = other.length;
    }
    if (known.mimetype.empty()) known.mimetype = other.mimetype;
    if (!known.status) known.status = other.status;
    if (known.digest.empty()) known.digest = other.digest;
}

}  // namespace

void CaptureSlice::add(Capture capture) {
    Canonical form = canonical(capture.url);
    const std::string moment =
        form.surt + '\t' + std::to_string(capture.archived_time.time_since_epoch().count()) + '\t';
    const std::string place = moment + capture.file + '\t' + (capture.offset ? std::to_string(*capture.offset) : "");
    if (!capture.digest.empty()) {
        const auto known = by_digest_.find(moment + capture.digest);
        if (known != by_digest_.end()) return fill(entries_[known->second].capture, capture);
    }
    if (const auto known = by_place_.find(place); known != by_place_.end()) {
        Capture& there = entries_[known->second].capture;
        if (there.digest.empty() || capture.digest.empty()) {
            fill(there, capture);
            if (!there.digest.empty()) by_digest_.emplace(moment + there.digest, known->second);
            return;
        }
    }
    by_place_.emplace(place, entries_.size());
    if (!capture.digest.empty()) by_digest_.emplace(moment + capture.digest, entries_.size());
    bytes_ += 2 * moment.size() + place.size() + capture.url.size() + sizeof(Capture) + 200;
    entries_.push_back({std::move(capture), std::move(form)});
}

void CaptureSlice::clear() {
    entries_.clear();
    by_digest_.clear();
    by_place_.clear();
    bytes_ = 0;
}

}  // namespace oai::load
