// SPDX-License-Identifier: MIT
#include "tools/load/capture_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "tools/load/capture_rows.h"
#include "tools/load/fill_queries.h"
#include "tools/load/fill_writer.h"

namespace oai::load {
namespace {

constexpr std::chrono::milliseconds kIndexPoll{250};

std::optional<std::int64_t> number_of(const NameIds& names, const std::string& name) {
    return name.empty() ? std::nullopt : std::optional<std::int64_t>(names.id(name));
}

}  // namespace

CaptureFill::CaptureFill(const std::string& conninfo, CaptureStagingOptions options,
                         Progress& progress)
    : conninfo_(conninfo),
      options_(std::move(options)),
      progress_(progress),
      connection_(conninfo, "oai load"),
      names_connection_(conninfo, "oai load"),
      blocks_(order()) {
    if (pg::read_bool(connection_.query(queries::kFillTry).bytes(0, 0))) return;
    progress_.line("another oai load fills the repository: waiting for its end");
    connection_.query(queries::kFillWait);
}

FillOrder CaptureFill::order() const {
    return options_.captured_datestamps ? FillOrder::time : FillOrder::host;
}

bool CaptureFill::begin() {
    const pg::Result row = connection_.query(
        queries::kFillBegin, pg::Parameters().add(options_.captured_datestamps ? "t" : "f"));
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
            "first fill: begins anew; no file was read to its end before, not for these "
            "datestamps, or the database has crashed since");
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
    if (kept_.valid()) kept_.get();
    const auto records = static_cast<std::int64_t>(captures.size());
    kept_ = std::async(std::launch::async, [this, taken = std::move(captures)] { keep(taken); });
    file_captures_ += records;
    return {.inserted = records};
}

void CaptureFill::keep(const std::vector<CanonicalCapture>& captures) {
    resolve_names(captures);
    for (const auto& [capture, canonical] : captures)
        blocks_.add({.url = capture.url,
                     .surt = canonical.surt,
                     .digest = capture.digest,
                     .time = capture.archived_time.time_since_epoch().count(),
                     .status = capture.status,
                     .length = capture.length,
                     .offset = capture.offset,
                     .arc = number_of(arcs_, capture.file),
                     .domain = number_of(domains_, canonical.domain),
                     .mimetype = number_of(mimetypes_, mimetype_name(capture.mimetype)),
                     .about = capture.about});
    copy(blocks_.take_full());
}

void CaptureFill::copy(const std::vector<FillBlock>& blocks) {
    if (blocks.empty()) return;
    pg::CopyWriter row(connection_, queries::kFillCopy);
    for (const FillBlock& block : blocks) {
        row.add(std::optional(block.bucket));
        row.add(std::optional(block.captures));
        row.add(block.rows);
        row.end_row();
    }
    row.finish();
}

SliceCounts CaptureFill::finish() {
    if (kept_.valid()) kept_.get();
    copy(blocks_.take_all());
    connection_.query(queries::kFillFile, pg::Parameters()
                                              .add(path_)
                                              .add(static_cast<std::int64_t>(bytes_))
                                              .add(file_captures_)
                                              .add(options_.captured_datestamps ? "t" : "f"));
    connection_.query(queries::kCommit);
    captures_ += file_captures_;
    return {};
}

void CaptureFill::give_up_file() noexcept {
    if (kept_.valid()) kept_.wait();
    kept_ = {};
    blocks_.take_all();
    connection_.reset_quietly();
}

std::int64_t CaptureFill::publish() {
    if (captures_ == 0) {  // it would still end the first numbering
        connection_.query(queries::kFillLeave);
        progress_.line("first fill: nothing was read, and nothing is published");
        return 0;
    }
    for (const std::string& name : options_.collections) collections_.request(name);
    collections_.resolve(names_connection_);
    FillWriter::Options options;
    options.order = order();
    for (const std::string& name : options_.collections)
        options.collections.push_back(collections_.id(name));
    std::sort(options.collections.begin(), options.collections.end());
    options.collections.erase(std::unique(options.collections.begin(), options.collections.end()),
                              options.collections.end());
    const char* const captured = options_.captured_datestamps ? "t" : "f";

    progress_.line(fmt::format("first fill: sorts and writes {} captures", captures_));
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);  // others would take ids that are given out here
    const pg::Result opened = connection_.query(queries::kFillOpen, pg::Parameters().add(captured));
    options.datestamp = pg::read_integer(opened.bytes(0, 0));
    options.first_id = pg::read_integer(opened.bytes(0, 1));
    progress_.begin_count("first fill: writing", captures_, std::chrono::steady_clock::now());
    FillWriter writer(names_connection_, connection_, options, progress_);
    const std::int64_t docs = writer.write();

    make_indexes();
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

// Another connection asks how far PostgreSQL is meanwhile.
void CaptureFill::make_indexes() {
    const auto next = [this](const char* make) {
        const pg::Result index = connection_.query(queries::kFillIndex, pg::Parameters().add(make));
        return index.is_null(0, 0) ? std::string() : std::string(index.bytes(0, 0));
    };
    const auto backend = pg::read_integer(connection_.query(queries::kFillBackend).bytes(0, 0));
    for (std::string name = next("f"); !name.empty();) {
        progress_.line(fmt::format("first fill: makes index {}", name));
        std::future<std::string> made = std::async(std::launch::async, next, "t");
        std::string phase;
        while (made.wait_for(kIndexPoll) != std::future_status::ready) {
            const pg::Result row =
                names_connection_.query(queries::kFillIndexProgress, pg::Parameters().add(backend));
            if (row.rows() == 0) continue;
            const auto now = std::chrono::steady_clock::now();
            if (const std::string at(row.bytes(0, 0)); at != phase) {
                phase = at;
                progress_.begin_count(fmt::format("first fill: index {}, {}", name, phase),
                                      pg::read_integer(row.bytes(0, 2)), now);
            }
            progress_.count(pg::read_integer(row.bytes(0, 1)), now);
        }
        name = made.get();
    }
}

}  // namespace oai::load
