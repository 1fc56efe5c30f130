// SPDX-License-Identifier: MIT
#include "tools/load/fill_writer.h"

#include <algorithm>
#include <map>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "protocol/datestamp.h"
#include "tools/load/capture_slice.h"
#include "tools/load/fill_queries.h"

namespace oai::load {
namespace {

constexpr std::size_t kBatch = 20'000;
constexpr std::int64_t kBucket = 16;  // numbers that have one row of oai.calendar at most

std::string time_text(std::int64_t seconds) {
    return print_datestamp(Seconds{std::chrono::seconds{seconds}});
}

std::string number_text(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "";
}

std::optional<std::int64_t> number_of(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::int64_t>(std::stoll(text));
}

}  // namespace

FillWriter::FillWriter(pg::Connection& reader, pg::Connection& writer, Options options,
                       Progress& progress)
    : reader_(reader), writer_(writer), options_(std::move(options)), progress_(progress) {
    const pg::Result sets = writer_.query(queries::kFillSets);
    for (int i = 0; i < sets.rows(); ++i) {
        std::vector<int> path;
        pg::read_int4_array(sets.bytes(i, 1), path);
        chunks_.add_set(static_cast<int>(pg::read_integer(sets.bytes(i, 0))), std::move(path));
    }
}

FillWriter::Row FillWriter::read_row(const pg::Result& rows, int i) {
    const auto number = [&](int column) -> std::optional<std::int64_t> {
        if (rows.is_null(i, column)) return {};
        return pg::read_integer(rows.bytes(i, column));
    };
    return {.url = std::string(rows.bytes(i, 0)),
            .surt = std::string(rows.bytes(i, 1)),
            .digest = std::string(rows.bytes(i, 4)),
            .time = pg::read_integer(rows.bytes(i, 2)),
            .status = number(3),
            .length = number(5),
            .offset = number(6),
            .arc = number(7),
            .domain = number(8),
            .mimetype = number(9)};
}

std::int64_t FillWriter::write() {
    std::int64_t read = 0;
    reader_.send(queries::kFillFetch);
    reader_.flush();
    for (;;) {
        const pg::Result rows = reader_.take();
        if (rows.rows() == 0) break;
        reader_.send(queries::kFillFetch);  // comes while these are written
        reader_.flush();
        for (int i = 0; i < rows.rows(); ++i) take(read_row(rows, i));
        read += rows.rows();
        progress_.count(read, std::chrono::steady_clock::now());
    }
    end_group();
    write_batch();
    write_chunks(chunks_.take_rest());
    return written_;
}

void FillWriter::take(Row row) {
    if (!group_.empty() && (group_[0].time != row.time || group_[0].surt != row.surt)) end_group();
    group_.push_back(std::move(row));
}

// What two files say of one capture is merged as within a slice. Names stand there as numbers.
void FillWriter::end_group() {
    if (group_.size() <= 1) {
        for (Row& row : group_) batch_.push_back(std::move(row));
    } else {
        std::map<std::string, std::optional<std::int64_t>> domains;
        CaptureSlice slice;
        for (const Row& row : group_) {
            domains.emplace(row.url, row.domain);
            slice.add(
                {.url = row.url,
                 .archived_time = Seconds{std::chrono::seconds{row.time}},
                 .mimetype = number_text(row.mimetype),
                 .status = row.status ? std::optional(static_cast<int>(*row.status)) : std::nullopt,
                 .digest = row.digest,
                 .file = number_text(row.arc),
                 .length = row.length,
                 .offset = row.offset});
        }
        for (const auto& [capture, canonical] : slice.records())
            batch_.push_back({.url = capture.url,
                              .surt = group_[0].surt,
                              .digest = capture.digest,
                              .time = group_[0].time,
                              .status = capture.status,
                              .length = capture.length,
                              .offset = capture.offset,
                              .arc = number_of(capture.file),
                              .domain = domains.at(capture.url),
                              .mimetype = number_of(capture.mimetype)});
    }
    group_.clear();
    if (batch_.size() >= kBatch) write_batch();
}

void FillWriter::write_batch() {
    write_docs();
    write_collections();
    write_chunks(chunks_.take_full());
    if (options_.captured_datestamps) write_calendar();
    written_ += static_cast<std::int64_t>(batch_.size());
    batch_.clear();
}

std::vector<int> FillWriter::sets_of(const Row& row) const {
    std::vector<int> sets;
    for (const auto& id : {row.domain, row.mimetype})
        if (id) sets.push_back(static_cast<int>(*id));
    sets.insert(sets.end(), options_.collections.begin(), options_.collections.end());
    return sets;
}

std::int64_t FillWriter::datestamp_of(const Row& row) const {
    return options_.captured_datestamps ? std::min(row.time, options_.datestamp)
                                        : options_.datestamp;
}

// In the order of queries::kFillDocs.
void FillWriter::write_docs() {
    pg::CopyWriter out(writer_, queries::kFillDocs);
    std::int64_t seq = written_;
    for (const Row& row : batch_) {
        const std::vector<int> sets = sets_of(row);
        chunks_.add(++seq, sets);
        out.add(std::optional(options_.first_id + seq - 1));
        out.add(std::optional(seq));
        out.add(time_text(datestamp_of(row)));
        out.add(time_text(row.time));
        out.add(row.status);
        out.add_or_null(row.digest);
        for (const auto& number : {row.length, row.offset, row.arc, row.domain, row.mimetype})
            out.add(number);
        out.add(row.url);
        out.add(row.surt);
        out.add(sets);
        out.end_row();
    }
    out.finish();
}

void FillWriter::write_collections() {
    if (options_.collections.empty()) return;
    pg::CopyWriter out(writer_, queries::kFillCollections);
    std::int64_t id = options_.first_id + written_;
    for (std::size_t i = 0; i < batch_.size(); ++i, ++id)
        for (const int collection : options_.collections) {
            out.add(std::optional(id));
            out.add(std::optional(collection));
            out.end_row();
        }
    out.finish();
}

void FillWriter::write_chunks(const std::vector<SetChunk>& chunks) {
    pg::CopyWriter out(writer_, queries::kFillChunks);
    for (const SetChunk& chunk : chunks) {
        out.add(std::optional(chunk.set_id));
        out.add(std::optional(chunk.first_seq));
        out.add(chunk.differences);
        out.end_row();
    }
    out.finish();
}

void FillWriter::write_calendar() {
    pg::CopyWriter out(writer_, queries::kFillCalendar);
    std::int64_t before = written_;
    for (const Row& row : batch_) {
        const std::int64_t datestamp = datestamp_of(row);
        const bool begins = before == 0 || datestamp != last_datestamp_;
        if (begins && before / kBucket > last_bucket_) {
            out.add(time_text(datestamp));
            out.add(std::optional(before));
            out.end_row();
            last_bucket_ = before / kBucket;
        }
        last_datestamp_ = datestamp;
        ++before;
    }
    out.finish();
}

}  // namespace oai::load
