// SPDX-License-Identifier: MIT
#include "tools/load/capture_staging.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "pg/retry.h"
#include "protocol/record.h"

namespace oai::load {
std::size_t key_of(const CanonicalCapture& capture) {
    const std::size_t url = std::hash<std::string>{}(capture.canonical.surt);
    return url * 31 +
           std::hash<std::int64_t>{}(capture.capture.archived_time.time_since_epoch().count());
}

CaptureStaging::CaptureStaging(const std::string& conninfo, CaptureStagingOptions options)
    : connection_(conninfo, "oai load"), options_(std::move(options)) {
    if (!pg::read_bool(connection_.query(queries::kModel).bytes(0, 0)))
        throw std::runtime_error("the database has no model webarchiv: make it by `oai schema`");
    connection_.query(queries::kSession);
    connection_.query(queries::kStaging);
}

void CaptureStaging::start_anew() noexcept {
    connection_.reset_quietly();
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_, &collections_}) names->clear();
}

SliceCounts CaptureStaging::write(const std::vector<CanonicalCapture>& captures) {
    return pg::retry(
        pg::kRetryConflicts, [&] { return try_write(captures); }, [this] { start_anew(); });
}

PublishedSlice CaptureStaging::publish(const std::vector<CanonicalCapture>& captures) {
    if (options_.captured_datestamps) return {.counts = write(captures)};
    try {
        const auto published = pg::retry(
            pg::kRetryConflicts, [&] { return try_publish(captures); }, [this] { start_anew(); });
        if (published) return *published;
        start_anew();
    } catch (const pg::Error& e) {  // somebody's lock: the publisher knows how to wait for it
        if (!pg::is_lock_timeout(e) && !pg::is_conflict(e)) throw;
    }
    return {.counts = write(captures)};
}

std::optional<PublishedSlice> CaptureStaging::try_publish(
    const std::vector<CanonicalCapture>& captures) {
    resolve_names(captures);  // committed at once: others that need the same names need not wait
    connection_.query(queries::kBegin);
    connection_.query(queries::kLoaders);
    copy(captures);
    connection_.query(queries::kAnalyze);
    if (std::string(connection_.query(queries::kMatch).affected()) != "0") {
        connection_.query(queries::kFill);
        file_in_collections(true);
    }
    PublishedSlice slice{.counts = count()};
    const pg::Result fresh = connection_.query(queries::kPrepare, parameters(collection_ids()));
    if (const auto records = pg::read_integer(fresh.bytes(0, 0)); records > 0) {
        const auto locked = take_turn(connection_, queries::kPublish);
        if (!locked) return {};
        slice.published = static_cast<std::size_t>(records);
        slice.locked = *locked;
    }
    connection_.query(queries::kCommit);
    return slice;
}

SliceCounts CaptureStaging::try_write(const std::vector<CanonicalCapture>& captures) {
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);
    if (options_.captured_datestamps &&
        pg::read_bool(connection_.query(queries::kBegun).bytes(0, 0)))
        throw std::runtime_error(
            "--datestamps captured is for the first fill: the repository is published already, and "
            "records with old datestamps would be missed by its harvesters");
    resolve_names(captures);
    copy(captures);
    const SliceCounts counts = merge(captures.size());
    connection_.query(queries::kCommit);
    return counts;
}

void CaptureStaging::resolve_names(const std::vector<CanonicalCapture>& captures) {
    request_names(captures, arcs_, domains_, mimetypes_);
    for (const std::string& name : options_.collections) collections_.request(name);
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_, &collections_})
        names->resolve(connection_);
}

// In the order of queries::kCopy.
void CaptureStaging::copy(const std::vector<CanonicalCapture>& captures) {
    pg::CopyWriter row(connection_, queries::kCopy);
    const auto add_number_of = [&](const NameIds& names, const std::string& name) {
        name.empty() ? row.add_null() : row.add(std::optional(names.id(name)));
    };
    for (const auto& [capture, canonical] : captures) {
        row.add(capture.url);
        row.add(canonical.surt);
        row.add(print_datestamp(capture.archived_time));
        row.add(capture.status);
        row.add_or_null(capture.digest);
        row.add(capture.length);
        row.add(capture.offset);
        add_number_of(arcs_, capture.file);
        add_number_of(domains_, canonical.domain);
        add_number_of(mimetypes_, mimetype_name(capture.mimetype));
        row.add_or_null(capture.request);
        row.add(capture.revisit);
        row.add_or_null(capture.about.title);
        row.add_or_null(capture.about.language);
        row.add_or_null(capture.about.description);
        row.end_row();
    }
    row.finish();
}

std::string CaptureStaging::collection_ids() const {
    std::vector<int> ids;
    for (const std::string& name : options_.collections) ids.push_back(collections_.id(name));
    return pg::int_array_literal(ids);
}

void CaptureStaging::file_in_collections(bool only_known) {
    if (options_.collections.empty()) return;
    connection_.query(queries::kFile, parameters(collection_ids(), only_known ? "t" : "f"));
}

SliceCounts CaptureStaging::merge(std::size_t staged) {
    connection_.query(queries::kAnalyze);
    const std::string known = connection_.query(queries::kMatch).affected();
    if (known != "0") connection_.query(queries::kFill);
    const std::string inserted =
        connection_.query(queries::kInsert, parameters(options_.captured_datestamps ? "t" : "f"))
            .affected();
    if (std::stoull(inserted) + std::stoull(known) != staged) {
        const pg::Result lost = connection_.query(queries::kRematch);
        if (pg::read_integer(lost.bytes(0, 0)) > 0)
            throw pg::Error("load_insert: captures have ids that other rows have already",
                            queries::kInsert.name, pg::kUniqueViolation, false);
    }
    file_in_collections(false);
    return count();
}

SliceCounts CaptureStaging::count() {
    const pg::Result counts = connection_.query(queries::kCount);
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

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
    if (known.request.empty()) known.request = other.request;
    known.revisit |= other.revisit;
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
    CanonicalUrl url = canonical_url(capture.url, capture.request);
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
    CanonicalUrl url = canonical_url(capture.url, capture.request);
    bytes_ += 2 * capture.url.size() + sizeof(CanonicalCapture) + bytes_of(capture.about) + 200;
    records_.push_back({std::move(capture), std::move(url)});
}

void CaptureList::clear() {
    records_.clear();
    bytes_ = 0;
}

void request_names(const std::vector<CanonicalCapture>& captures, NameIds& arcs, NameIds& domains,
                   NameIds& mimetypes) {
    for (const auto& [capture, canonical] : captures) {
        arcs.request(capture.file);
        domains.request(canonical.domain);
        mimetypes.request(mimetype_name(capture.mimetype));
    }
}

}  // namespace oai::load
