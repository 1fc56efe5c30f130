// SPDX-License-Identifier: MIT
#include "tools/load/capture_staging.h"

#include <functional>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/retry.h"
#include "pg/text_format.h"
#include "tools/load/capture_rows.h"
#include "tools/load/turn.h"

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
    const pg::Result fresh =
        connection_.query(queries::kPrepare, pg::Parameters().add(collection_ids()));
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
    request_names({arcs_, domains_, mimetypes_}, captures);
    for (const std::string& name : options_.collections) collections_.request(name);
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_, &collections_})
        names->resolve(connection_);
}

void CaptureStaging::copy(const std::vector<CanonicalCapture>& captures) {
    copy_captures(connection_, queries::kCopy, captures, {arcs_, domains_, mimetypes_});
}

std::string CaptureStaging::collection_ids() const {
    std::vector<int> ids;
    for (const std::string& name : options_.collections) ids.push_back(collections_.id(name));
    return pg::int_array_literal(ids);
}

void CaptureStaging::file_in_collections(bool only_known) {
    if (options_.collections.empty()) return;
    connection_.query(queries::kFile,
                      pg::Parameters().add(collection_ids()).add(only_known ? "t" : "f"));
}

SliceCounts CaptureStaging::merge(std::size_t staged) {
    connection_.query(queries::kAnalyze);
    const std::string known = connection_.query(queries::kMatch).affected();
    if (known != "0") connection_.query(queries::kFill);
    const std::string inserted =
        connection_
            .query(queries::kInsert, pg::Parameters().add(options_.captured_datestamps ? "t" : "f"))
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

}  // namespace oai::load
