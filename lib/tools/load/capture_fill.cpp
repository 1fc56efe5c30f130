// SPDX-License-Identifier: MIT
#include "tools/load/capture_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "protocol/record.h"
#include "tools/load/capture_staging.h"
#include "tools/load/queries.h"

namespace oai::load {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kOpenBytes = std::size_t{128} << 20;
constexpr std::uint64_t kHostBuckets = 1024;
constexpr std::int64_t kDay = 86'400;
// Neither of them is XML text.
constexpr char kFieldEnd = '\x1f', kRowEnd = '\x1e';

// FNV-1a: the place of a capture must be the same in every run, which std::hash does not promise.
std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 14695981039346656037U;
    for (const unsigned char c : text) h = (h ^ c) * 1099511628211U;
    return h ^ (h >> 32);
}

std::string_view host_of(std::string_view surt) { return surt.substr(0, surt.find(')')); }

void append(std::string& rows, const std::optional<std::int64_t>& number) {
    if (number) {
        char digits[24];
        rows.append(digits, std::to_chars(digits, std::end(digits), *number).ptr);
    }
    rows += kFieldEnd;
}

std::string_view take_field(std::string_view& rows, char end) {
    const auto at = rows.find(end);
    if (at == rows.npos) throw std::runtime_error("a block of the first fill is damaged");
    const std::string_view field = rows.substr(0, at);
    rows.remove_prefix(at + 1);
    return field;
}

std::optional<std::int64_t> take_number(std::string_view& rows) {
    const std::string_view field = take_field(rows, kFieldEnd);
    if (field.empty()) return {};
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc{} || end != field.data() + field.size())
        throw std::runtime_error("a block of the first fill is damaged");
    return number;
}

constexpr std::size_t kBatch = 20'000;
// That are sorted at once: some 200 MB of captures, or of what documents say of themselves.
constexpr std::uint64_t kPartRows = 500'000;
constexpr std::uint64_t kPartBytes = std::uint64_t{200} << 20;
constexpr std::int64_t kBucket = 16;  // numbers that have one row of oai.calendar at most

std::optional<std::int64_t> number_of(const NameIds& names, const std::string& name) {
    return name.empty() ? std::nullopt : std::optional<std::int64_t>(names.id(name));
}

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

bool is_before(FillOrder order, const FillRow& a, const FillRow& b) {
    if (order == FillOrder::time) return std::tie(a.time, a.surt) < std::tie(b.time, b.surt);
    return std::tie(a.surt, a.time) < std::tie(b.surt, b.time);
}

FillPlace fill_place(FillOrder order, const FillRow& row) {
    if (order == FillOrder::time) {
        const std::int64_t day = row.time / kDay - (row.time % kDay < 0 ? 1 : 0);
        const std::int64_t second = row.time - day * kDay;
        return {static_cast<std::int32_t>(day), static_cast<std::uint32_t>((second << 32) / kDay)};
    }
    return {static_cast<std::int32_t>(hash(host_of(row.surt)) % kHostBuckets),
            static_cast<std::uint32_t>(hash(row.surt))};
}

void FillBlocks::add(const FillRow& row) {
    const std::int32_t bucket = fill_place(order_, row).bucket;
    FillBlock& block = open_[bucket];
    const std::size_t before = block.rows.size();
    std::string& rows = block.rows;
    rows.append(row.url) += kFieldEnd;
    rows.append(row.surt) += kFieldEnd;
    rows.append(row.digest) += kFieldEnd;
    rows.append(row.revisit ? "t" : "").append(row.request) += kFieldEnd;
    append(rows, row.time);
    for (const auto& number :
         {row.status, row.length, row.offset, row.arc, row.domain, row.mimetype})
        append(rows, number);
    for (const std::string* const words :
         {&row.about.title, &row.about.language, &row.about.description})
        rows.append(*words) += kFieldEnd;
    rows.back() = kRowEnd;
    block.bucket = bucket;
    ++block.captures;
    open_bytes_ += rows.size() - before;
    if (rows.size() < kBlockBytes) return;
    open_bytes_ -= rows.size();
    full_.push_back(std::move(block));
    open_.erase(bucket);
}

std::vector<FillBlock> FillBlocks::take_full() {
    return open_bytes_ > kOpenBytes ? take_all() : std::exchange(full_, {});
}

std::vector<FillBlock> FillBlocks::take_all() {
    for (auto& [bucket, block] : open_) full_.push_back(std::move(block));
    open_.clear();
    open_bytes_ = 0;
    return std::exchange(full_, {});
}

FillRow take_row(std::string_view& rows) {
    FillRow row;
    row.url = take_field(rows, kFieldEnd);
    row.surt = take_field(rows, kFieldEnd);
    row.digest = take_field(rows, kFieldEnd);
    row.request = take_field(rows, kFieldEnd);
    row.revisit = row.request.starts_with('t');  // methods are in capitals
    if (row.revisit) row.request.erase(0, 1);
    row.time = take_number(rows).value_or(0);
    row.status = take_number(rows);
    row.length = take_number(rows);
    row.offset = take_number(rows);
    row.arc = take_number(rows);
    row.domain = take_number(rows);
    row.mimetype = take_number(rows);
    row.about.title = take_field(rows, kFieldEnd);
    row.about.language = take_field(rows, kFieldEnd);
    row.about.description = take_field(rows, kRowEnd);
    return row;
}

CaptureFill::CaptureFill(const std::string& conninfo, CaptureStagingOptions options,
                         Progress& progress)
    : FirstFill(conninfo, progress),
      options_(std::move(options)),
      order_(options_.captured_datestamps ? FillOrder::time : FillOrder::host),
      blocks_(order_) {}

bool CaptureFill::begin() {
    const pg::Result row = connection_.query(
        queries::kFillBegin, pg::Parameters().add(options_.captured_datestamps ? "t" : "f"));
    if (!pg::read_bool(row.bytes(0, 0))) {
        leave();
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
    const auto records = static_cast<std::int64_t>(captures.size());
    begin_writing([this, taken = std::move(captures)] { keep(taken); });
    file_captures_ += records;
    return {.inserted = records};
}

void CaptureFill::keep(const std::vector<CanonicalCapture>& captures) {
    resolve_names(captures);
    for (const auto& [capture, canonical] : captures)
        blocks_.add({.url = capture.url,
                     .surt = canonical.surt,
                     .digest = capture.digest,
                     .request = capture.request,
                     .revisit = capture.revisit,
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
    wait();
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
    await_end();
    blocks_.take_all();
    connection_.reset_quietly();
}

std::int64_t CaptureFill::publish() {
    if (captures_ == 0) {  // it would still end the first numbering
        leave();
        progress_.line("first fill: nothing was read, and nothing is published");
        return 0;
    }
    for (const std::string& name : options_.collections) collections_.request(name);
    collections_.resolve(names_connection_);
    collection_ids_ = collections_.ids(options_.collections);
    const char* const captured = options_.captured_datestamps ? "t" : "f";

    progress_.line(fmt::format("first fill: sorts and writes {} captures", captures_));
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);  // others would take ids that are given out here
    const pg::Result opened = connection_.query(queries::kFillOpen, pg::Parameters().add(captured));
    datestamp_ = pg::read_integer(opened.bytes(0, 0));
    first_id_ = pg::read_integer(opened.bytes(0, 1));
    add_sets(connection_.query(queries::kFillSets));
    progress_.begin_count("first fill: writing", captures_, std::chrono::steady_clock::now());
    write_parts();

    make_indexes();
    pg::Parameters end;
    end.add(written_).add(first_id_).add(datestamp_).add(captured);
    add_set_sizes(end);
    connection_.query(queries::kFillEnd, end);
    connection_.query(queries::kCommit);
    leave();
    progress_.line(
        fmt::format("first fill: {} captures are published; {} were in several files or lines",
                    written_, captures_ - written_));
    return written_;
}

std::vector<CaptureFill::Part> CaptureFill::parts() {
    constexpr std::uint64_t kSpots = std::uint64_t{1} << 32;
    const pg::Result buckets = names_connection_.query(queries::kFillBuckets);
    std::vector<Part> parts;
    for (int i = 0; i < buckets.rows(); ++i) {
        const auto captures = static_cast<std::uint64_t>(pg::read_integer(buckets.bytes(i, 1)));
        const auto bytes = static_cast<std::uint64_t>(pg::read_integer(buckets.bytes(i, 2)));
        const std::uint64_t count = std::max(captures / kPartRows, bytes / kPartBytes) + 1;
        for (std::uint64_t n = 0; n < count; ++n)
            parts.push_back({static_cast<std::int32_t>(pg::read_integer(buckets.bytes(i, 0))),
                             static_cast<std::uint32_t>(n * kSpots / count),
                             static_cast<std::uint32_t>((n + 1) * kSpots / count - 1)});
    }
    return parts;
}

std::vector<FillRow> CaptureFill::read_part(const Part& part) {
    std::vector<FillRow> found;
    std::int64_t last = 0;
    for (;;) {
        const pg::Result blocks = names_connection_.query(
            queries::kFillBlocks, pg::Parameters().add(std::int64_t{part.bucket}).add(last));
        if (blocks.rows() == 0) break;
        for (int i = 0; i < blocks.rows(); ++i) {
            std::string_view rows = blocks.bytes(i, 1);
            while (!rows.empty()) {
                FillRow row = take_row(rows);
                const std::uint32_t spot = fill_place(order_, row).spot;
                if (spot >= part.first && spot <= part.last) found.push_back(std::move(row));
            }
        }
        last = pg::read_integer(blocks.bytes(blocks.rows() - 1, 0));
    }
    std::stable_sort(found.begin(), found.end(), [this](const FillRow& a, const FillRow& b) {
        return is_before(order_, a, b);
    });
    return found;
}

void CaptureFill::write_parts() {
    const std::vector<Part> parts = this->parts();
    std::int64_t taken = 0;
    std::future<std::vector<FillRow>> next;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::vector<FillRow> rows = next.valid() ? next.get() : read_part(parts[i]);
        if (i + 1 < parts.size())
            next = std::async(std::launch::async,
                              [this, &parts, i] { return read_part(parts[i + 1]); });
        for (FillRow& row : rows) {
            add_to_group(std::move(row));
            if (++taken % 1000 == 0) progress_.count(taken, std::chrono::steady_clock::now());
        }
        end_group();
    }
    write_batch();
    write_chunks(queries::kFillChunks, chunks_.take_rest());
}

void CaptureFill::add_to_group(FillRow row) {
    if (!group_.empty() && (group_[0].time != row.time || group_[0].surt != row.surt)) end_group();
    group_.push_back(std::move(row));
}

// What two files say of one capture is merged as within a slice. Names stand there as numbers.
void CaptureFill::end_group() {
    if (group_.size() <= 1) {
        for (FillRow& row : group_) batch_.push_back(std::move(row));
    } else {
        std::map<std::string, std::optional<std::int64_t>> domains;
        CaptureSlice slice;
        for (const FillRow& row : group_) {
            domains.emplace(row.url, row.domain);
            slice.add(
                {.url = row.url,
                 .archived_time = Seconds{std::chrono::seconds{row.time}},
                 .mimetype = number_text(row.mimetype),
                 .status = row.status ? std::optional(static_cast<int>(*row.status)) : std::nullopt,
                 .digest = row.digest,
                 .file = number_text(row.arc),
                 .length = row.length,
                 .offset = row.offset,
                 .request = row.request,
                 .revisit = row.revisit,
                 .about = row.about});
        }
        for (const auto& [capture, canonical] : slice.records())
            batch_.push_back({.url = capture.url,
                              .surt = group_[0].surt,
                              .digest = capture.digest,
                              .request = capture.request,
                              .revisit = capture.revisit,
                              .time = group_[0].time,
                              .status = capture.status,
                              .length = capture.length,
                              .offset = capture.offset,
                              .arc = number_of(capture.file),
                              .domain = domains.at(capture.url),
                              .mimetype = number_of(capture.mimetype),
                              .about = capture.about});
    }
    group_.clear();
    if (batch_.size() >= kBatch) write_batch();
}

void CaptureFill::write_batch() {
    write_docs();
    write_chunks(queries::kFillChunks, chunks_.take_full());
    if (order_ == FillOrder::time) write_calendar();
    written_ += static_cast<std::int64_t>(batch_.size());
    batch_.clear();
}

std::vector<int> CaptureFill::sets_of(const FillRow& row) const {
    std::vector<int> sets;
    for (const auto& id : {row.domain, row.mimetype})
        if (id) sets.push_back(static_cast<int>(*id));
    sets.insert(sets.end(), collection_ids_.begin(), collection_ids_.end());
    return sets;
}

std::int64_t CaptureFill::datestamp_of(const FillRow& row) const {
    return order_ == FillOrder::time ? std::min(row.time, datestamp_) : datestamp_;
}

// In the order of queries::kFillDocs.
void CaptureFill::write_docs() {
    pg::CopyWriter out(connection_, queries::kFillDocs);
    std::int64_t seq = written_;
    for (const FillRow& row : batch_) {
        const std::vector<int> sets = sets_of(row);
        chunks_.add(++seq, sets);
        out.add(std::optional(first_id_ + seq - 1));
        out.add(std::optional(seq));
        out.add(time_text(datestamp_of(row)));
        out.add(time_text(row.time));
        out.add(row.status);
        out.add_or_null(row.digest);
        for (const auto& number : {row.length, row.offset, row.arc, row.domain, row.mimetype})
            out.add(number);
        out.add(row.url);
        out.add(row.surt);
        out.add_or_null(row.request);
        out.add(row.revisit);
        out.add_or_null(row.about.title);
        out.add_or_null(row.about.language);
        out.add_or_null(row.about.description);
        out.add(sets);
        out.end_row();
    }
    out.finish();
}

void CaptureFill::write_calendar() {
    pg::CopyWriter out(connection_, queries::kFillCalendar);
    std::int64_t before = written_;
    for (const FillRow& row : batch_) {
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

void CaptureFill::make_indexes() {
    for (const char* make = "f";; make = "t") {
        const pg::Result next = connection_.query(queries::kFillIndex, pg::Parameters().add(make));
        if (next.is_null(0, 0)) return;
        progress_.line("first fill: makes index " + std::string(next.bytes(0, 0)));
    }
}

}  // namespace oai::load
