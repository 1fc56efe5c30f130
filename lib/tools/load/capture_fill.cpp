// SPDX-License-Identifier: MIT
#include "tools/load/capture_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/text_format.h"
#include "tools/load/capture_rows.h"
#include "tools/load/fill_queries.h"
#include "tools/load/fill_writer.h"

namespace oai::load {
namespace {}  // namespace

CaptureFill::CaptureFill(const std::string& conninfo, CaptureStagingOptions options,
                         Progress& progress)
    : conninfo_(conninfo),
      options_(std::move(options)),
      progress_(progress),
      connection_(conninfo, "oai load"),
      names_connection_(conninfo, "oai load") {
    if (pg::read_bool(connection_.query(queries::kFillTry).bytes(0, 0))) return;
    progress_.line("another oai load fills the repository: waiting for its end");
    connection_.query(queries::kFillWait);
}

bool CaptureFill::begin() {
    const pg::Result row = connection_.query(queries::kFillBegin);
    if (!pg::read_bool(row.bytes(0, 0))) {
        connection_.query(queries::kFillLeave);
        return false;
    }
    captures_ = pg::read_integer(row.bytes(0, 2));
    if (const auto files = pg::read_integer(row.bytes(0, 1)); files > 0)
        progress_.line(fmt::format(
            "first fill: goes on; {} files with {} captures were read before", files, captures_));
    else if (pg::read_bool(row.bytes(0, 3)))
        progress_.line(
            "first fill: begins anew; no file was read to its end before, or the database has "
            "crashed since");
    else
        progress_.line("first fill: nothing is seen of it before it ends");
    return true;
}

std::optional<std::int64_t> CaptureFill::begin_file(const std::string& path, std::uint64_t bytes) {
    const pg::Result known = connection_.query(
        queries::kFillKnown, pg::Parameters().add(path).add(static_cast<std::int64_t>(bytes)));
    if (known.rows() > 0) return pg::read_integer(known.bytes(0, 0));
    path_ = path;
    bytes_ = bytes;
    file_captures_ = 0;
    connection_.query(queries::kBegin);
    return {};
}

void CaptureFill::resolve_names(const std::vector<CanonicalCapture>& captures) {
    request_names({arcs_, domains_, mimetypes_}, captures);
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_}) names->resolve(names_connection_);
}

SliceCounts CaptureFill::write(std::vector<CanonicalCapture>& captures) {
    if (copied_.valid()) copied_.get();
    const auto records = static_cast<std::int64_t>(captures.size());
    copied_ = std::async(std::launch::async, [this, taken = std::move(captures)] { copy(taken); });
    file_captures_ += records;
    return {.inserted = records};
}

void CaptureFill::copy(const std::vector<CanonicalCapture>& captures) {
    resolve_names(captures);
    copy_captures(connection_, queries::kFillCopy, captures, {arcs_, domains_, mimetypes_});
}

SliceCounts CaptureFill::finish() {
    if (copied_.valid()) copied_.get();
    connection_.query(
        queries::kFillFile,
        pg::Parameters().add(path_).add(static_cast<std::int64_t>(bytes_)).add(file_captures_));
    connection_.query(queries::kCommit);
    captures_ += file_captures_;
    return {};
}

void CaptureFill::give_up_file() noexcept {
    if (copied_.valid()) copied_.wait();
    copied_ = {};
    connection_.reset_quietly();
}

std::int64_t CaptureFill::publish() {
    for (const std::string& name : options_.collections) collections_.request(name);
    collections_.resolve(names_connection_);
    FillWriter::Options options;
    options.captured_datestamps = options_.captured_datestamps;
    for (const std::string& name : options_.collections)
        options.collections.push_back(collections_.id(name));
    std::sort(options.collections.begin(), options.collections.end());
    options.collections.erase(std::unique(options.collections.begin(), options.collections.end()),
                              options.collections.end());
    const char* const captured = options_.captured_datestamps ? "t" : "f";

    progress_.line(fmt::format("first fill: sorts and writes {} captures", captures_));
    names_connection_.query(queries::kBegin);
    names_connection_.query(queries::kFillMemory);
    names_connection_.query(options_.captured_datestamps ? queries::kFillByTime
                                                         : queries::kFillSorted);
    connection_.query(queries::kBegin);
    const pg::Result opened = connection_.query(queries::kFillOpen, pg::Parameters().add(captured));
    options.datestamp = pg::read_integer(opened.bytes(0, 0));
    options.first_id = pg::read_integer(opened.bytes(0, 1));
    progress_.begin_count("first fill: writing", captures_, std::chrono::steady_clock::now());
    FillWriter writer(names_connection_, connection_, options, progress_);
    const std::int64_t docs = writer.write();
    names_connection_.reset_quietly();  // its snapshot keeps the table that end_fill() removes

    for (bool make = false;; make = true) {
        const pg::Result next =
            connection_.query(queries::kFillIndex, pg::Parameters().add(make ? "t" : "f"));
        if (next.is_null(0, 0)) break;
        progress_.line(fmt::format("first fill: makes index {}", next.bytes(0, 0)));
    }
    std::string sets = "{", counts = "{";
    for (const auto& [id, size] : writer.chunks().sizes()) {
        const char* const comma = sets.size() > 1 ? "," : "";
        sets += comma + std::to_string(id);
        counts += comma + std::to_string(size);
    }
    connection_.query(queries::kFillEnd, pg::Parameters()
                                             .add(docs)
                                             .add(options.first_id)
                                             .add(options.datestamp)
                                             .add(captured)
                                             .add(sets + '}')
                                             .add(counts + '}'));
    connection_.query(queries::kCommit);
    connection_.query(queries::kFillLeave);
    progress_.line(
        fmt::format("first fill: {} captures are published; {} were in several files or lines",
                    docs, captures_ - docs));
    return docs;
}

}  // namespace oai::load
