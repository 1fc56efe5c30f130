// SPDX-License-Identifier: MIT
#include "tools/load/capture_slice.h"

#include <algorithm>

namespace oai::load {
namespace {

// Fills in what `known` lacks, by the rules of queries::kFill.
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
    if (known.about.title.empty()) known.about.title = other.about.title;
    if (known.about.language.empty()) known.about.language = other.about.language;
    if (known.about.description.empty()) known.about.description = other.about.description;
}

// As the index doc_moment tells captures apart: by the last characters of their digests.
std::string digest_key(const std::string& moment, const std::string& digest) {
    constexpr std::size_t kBytes = 7;
    return moment + digest.substr(digest.size() - std::min(digest.size(), kBytes));
}

std::size_t bytes_of(const DocumentDescription& about) {
    return about.title.size() + about.language.size() + about.description.size();
}

}  // namespace

void CaptureSlice::add(Capture capture) {
    CanonicalUrl url = canonical_url(capture.url);
    const std::string moment =
        url.surt + '\t' + std::to_string(capture.archived_time.time_since_epoch().count()) + '\t';
    const std::string place =
        moment + capture.file + '\t' + (capture.offset ? std::to_string(*capture.offset) : "");
    if (!capture.digest.empty()) {
        const auto known = by_digest_.find(digest_key(moment, capture.digest));
        if (known != by_digest_.end()) return fill(records_[known->second].capture, capture);
    }
    if (const auto known = by_place_.find(place); known != by_place_.end()) {
        Capture& there = records_[known->second].capture;
        if (there.digest.empty() || capture.digest.empty()) {
            fill(there, capture);
            if (!there.digest.empty())
                by_digest_.emplace(digest_key(moment, there.digest), known->second);
            return;
        }
    }
    by_place_.emplace(place, records_.size());
    if (!capture.digest.empty())
        by_digest_.emplace(digest_key(moment, capture.digest), records_.size());
    bytes_ += 2 * moment.size() + place.size() + capture.url.size() + sizeof(Capture) +
              bytes_of(capture.about) + 200;
    records_.push_back({std::move(capture), std::move(url)});
}

void CaptureSlice::clear() {
    records_.clear();
    by_digest_.clear();
    by_place_.clear();
    bytes_ = 0;
}

void CaptureList::add(Capture capture) {
    CanonicalUrl url = canonical_url(capture.url);
    bytes_ += 2 * capture.url.size() + sizeof(CanonicalCapture) + bytes_of(capture.about) + 200;
    records_.push_back({std::move(capture), std::move(url)});
}

void CaptureList::clear() {
    records_.clear();
    bytes_ = 0;
}

}  // namespace oai::load
