// SPDX-License-Identifier: MIT
#include "tools/load/capture_staging.h"

#include <stdexcept>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "pg/retry.h"
#include "pg/text_format.h"
#include "protocol/datestamp.h"

namespace oai::load {
namespace {

void add_id(pg::CopyWriter& row, const NameIds& names, const std::string& name) {
    name.empty() ? row.add_null() : row.add(std::optional(names.id(name)));
}

}  // namespace

CaptureStaging::CaptureStaging(pg::Connection& connection, CaptureStagingOptions options)
    : connection_(connection), options_(std::move(options)) {
    if (!pg::read_bool(connection_.query(queries::kModel).bytes(0, 0)))
        throw std::runtime_error("the database has no model webarchiv: make it by `oai schema`");
    connection_.query(queries::kSession);
    connection_.query(queries::kStaging);
}

SliceCounts CaptureStaging::write(const std::vector<CanonicalCapture>& captures) {
    return pg::retry(
        pg::kRetryConflicts, [&] { return try_write(captures); },
        [this] {
            connection_.reset_quietly();
            for (NameIds* names : {&arcs_, &domains_, &mimetypes_, &collections_}) names->clear();
        });
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
    for (const auto& [capture, canonical] : captures) {
        arcs_.request(capture.file);
        domains_.request(canonical.domain);
        mimetypes_.request(mimetype_name(capture.mimetype));
    }
    for (const std::string& name : options_.collections) collections_.request(name);
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_, &collections_})
        names->resolve(connection_);
}

// In the order of queries::kCopy.
void CaptureStaging::copy(const std::vector<CanonicalCapture>& captures) {
    pg::CopyWriter row(connection_, queries::kCopy);
    for (const auto& [capture, canonical] : captures) {
        row.add(capture.url);
        row.add(canonical.surt);
        row.add(print_datestamp(capture.archived_time));
        row.add(capture.status);
        row.add_or_null(capture.digest);
        row.add(capture.length);
        row.add(capture.offset);
        add_id(row, arcs_, capture.file);
        add_id(row, domains_, canonical.domain);
        add_id(row, mimetypes_, mimetype_name(capture.mimetype));
        row.end_row();
    }
    row.finish();
}

void CaptureStaging::file_in_collections() {
    if (options_.collections.empty()) return;
    std::vector<int> ids;
    for (const std::string& name : options_.collections) ids.push_back(collections_.id(name));
    connection_.query(queries::kFile, pg::Parameters().add(pg::int_array_literal(ids)));
}

SliceCounts CaptureStaging::merge(std::size_t staged) {
    connection_.query(queries::kAnalyze);
    const std::string known = connection_.query(queries::kMatch).affected();
    if (known != "0") connection_.query(queries::kFill);
    const std::string inserted =
        connection_
            .query(queries::kInsert, pg::Parameters().add(options_.captured_datestamps ? "t" : "f"))
            .affected();
    if (std::stoull(inserted) + std::stoull(known) != staged) connection_.query(queries::kRematch);
    file_in_collections();
    const pg::Result counts = connection_.query(queries::kCount);
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

}  // namespace oai::load
