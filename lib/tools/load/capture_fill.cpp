// SPDX-License-Identifier: MIT
#include "tools/load/capture_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>

#include "base/text.h"
#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "protocol/record.h"
#include "tools/load/queries.h"

namespace oai::load {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kOpenBytes = std::size_t{128} << 20;
constexpr std::uint64_t kHostBuckets = 1024;
constexpr std::int64_t kDay = 86'400;
// Neither of them is XML text.
constexpr char kFieldEnd = '\x1f', kRowEnd = '\x1e';
constexpr const char* kDamaged = "a block of the first fill is damaged";

// FNV-1a: the place of a capture must be the same in every run, which std::hash does not promise.
std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 14695981039346656037U;
    for (const unsigned char c : text) h = (h ^ c) * 1099511628211U;
    return h ^ (h >> 32);
}

std::string_view host_of(std::string_view surt) { return surt.substr(0, surt.find(')')); }

std::string_view take_field(std::string_view& rows, char end) {
    const auto at = rows.find(end);
    if (at == rows.npos) throw std::runtime_error(kDamaged);
    const std::string_view field = rows.substr(0, at);
    rows.remove_prefix(at + 1);
    return field;
}

std::optional<std::int64_t> take_number(std::string_view& rows) {
    const std::string_view field = take_field(rows, kFieldEnd);
    const auto number = text::to_integer(field);
    if (!field.empty() && !number) throw std::runtime_error(kDamaged);
    return number;
}

std::int64_t time_of(const CanonicalCapture& capture) {
    return capture.capture.archived_time.time_since_epoch().count();
}

constexpr std::size_t kBatch = 20'000;
// That are sorted at once: some 200 MB of captures, or of what documents say of themselves.
constexpr std::uint64_t kPartRows = 500'000;
constexpr std::uint64_t kPartBytes = std::uint64_t{200} << 20;
constexpr std::int64_t kBucket = 16;  // numbers that have one row of oai.calendar at most

std::string number_of(const NameIds& names, const std::string& name) {
    return name.empty() ? "" : std::to_string(names.id(name));
}

std::string time_text(std::int64_t seconds) {
    return print_datestamp(Seconds{std::chrono::seconds{seconds}});
}

constexpr std::size_t kChunkNumbers = 128;  // numbers in a row of oai.set_chunk

std::int64_t base_of(std::int64_t seq) { return seq >> 31 << 31; }  // as oai.base_of()

}  // namespace

bool is_before(FillOrder order, const CanonicalCapture& a, const CanonicalCapture& b) {
    const std::int64_t a_time = time_of(a), b_time = time_of(b);
    if (order == FillOrder::time)
        return std::tie(a_time, a.canonical.surt) < std::tie(b_time, b.canonical.surt);
    return std::tie(a.canonical.surt, a_time) < std::tie(b.canonical.surt, b_time);
}

FillPlace fill_place(FillOrder order, const CanonicalCapture& capture) {
    if (order == FillOrder::time) {
        const std::int64_t time = time_of(capture);
        const std::int64_t day = time / kDay - (time % kDay < 0 ? 1 : 0);
        const std::int64_t second = time - day * kDay;
        return {static_cast<std::int32_t>(day), static_cast<std::uint32_t>((second << 32) / kDay)};
    }
    const std::string& surt = capture.canonical.surt;
    return {static_cast<std::int32_t>(hash(host_of(surt)) % kHostBuckets),
            static_cast<std::uint32_t>(hash(surt))};
}

void FillBlocks::add(const CanonicalCapture& capture) {
    const auto& [c, canonical] = capture;
    const std::int32_t bucket = fill_place(order_, capture).bucket;
    FillBlock& block = open_[bucket];
    const std::size_t before = block.rows.size();
    std::string& rows = block.rows;
    for (const std::string* const field : {&c.url, &canonical.surt, &c.digest})
        rows.append(*field) += kFieldEnd;
    rows.append(c.revisit ? "t" : "").append(c.request) += kFieldEnd;
    for (const auto& number : {std::optional(time_of(capture)),
                               std::optional<std::int64_t>(c.status), c.length, c.offset})
        rows.append(number ? std::to_string(*number) : "") += kFieldEnd;
    for (const std::string* const words : {&c.file, &canonical.domain, &c.mimetype, &c.about.title,
                                           &c.about.language, &c.about.description})
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

CanonicalCapture take_capture(std::string_view& rows) {
    CanonicalCapture capture;
    auto& [c, canonical] = capture;
    for (std::string* const field : {&c.url, &canonical.surt, &c.digest, &c.request})
        *field = take_field(rows, kFieldEnd);
    c.revisit = c.request.starts_with('t');  // methods are in capitals
    if (c.revisit) c.request.erase(0, 1);
    c.archived_time = Seconds{std::chrono::seconds{take_number(rows).value_or(0)}};
    if (const auto status = take_number(rows)) c.status = static_cast<int>(*status);
    c.length = take_number(rows);
    c.offset = take_number(rows);
    for (std::string* const field :
         {&c.file, &canonical.domain, &c.mimetype, &c.about.title, &c.about.language})
        *field = take_field(rows, kFieldEnd);
    c.about.description = take_field(rows, kRowEnd);
    return capture;
}

void SetChunks::add(std::int64_t seq, const std::vector<int>& leaves) {
    for (const int leaf : leaves)
        for (const int id : paths_.at(leaf)) {
            OpenSet& set = open_[id];
            if (set.last_seq == seq) continue;  // by way of another leaf
            SetChunk& chunk = set.chunk;
            if (!chunk.differences.empty() && (chunk.differences.size() == kChunkNumbers ||
                                               base_of(chunk.first_seq) != base_of(seq)))
                full_.push_back(std::exchange(chunk, {}));
            if (chunk.differences.empty()) chunk = {id, seq, {}};
            chunk.differences.push_back(static_cast<int>(seq - base_of(seq)));
            set.last_seq = seq;
            ++set.size;
        }
}

std::vector<SetChunk> SetChunks::take_rest() {
    std::vector<SetChunk> rest = take_full();
    for (auto& [id, set] : open_)
        if (!set.chunk.differences.empty()) rest.push_back(std::move(set.chunk));
    return rest;
}

std::vector<std::pair<int, std::int64_t>> SetChunks::sizes() const {
    std::vector<std::pair<int, std::int64_t>> sizes;
    for (const auto& [id, set] : open_) sizes.emplace_back(id, set.size);
    return sizes;
}

CaptureFill::CaptureFill(const std::string& conninfo, CaptureStagingOptions options,
                         Progress& progress)
    : progress_(progress),
      connection_(conninfo, "oai load"),
      names_connection_(conninfo, "oai load"),
      options_(std::move(options)),
      order_(options_.captured_datestamps ? FillOrder::time : FillOrder::host),
      blocks_(order_) {
    if (pg::read_bool(connection_.query(queries::kFillTry).bytes(0, 0))) return;
    progress_.line("another oai load fills the repository: waiting for its end");
    connection_.query(queries::kFillWait);
}

bool CaptureFill::begin() {
    const pg::Result row = connection_.query(queries::kFillBegin, parameters(captured_));
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
    const pg::Result known =
        connection_.query(queries::kFillKnown, parameters(path, static_cast<std::int64_t>(bytes)));
    if (known.rows() > 0) return pg::read_integer(known.bytes(0, 0));
    path_ = path;
    bytes_ = bytes;
    file_captures_ = 0;
    connection_.query(queries::kBegin);
    return {};
}

SliceCounts CaptureFill::write(std::vector<CanonicalCapture>& captures) {
    const auto records = static_cast<std::int64_t>(captures.size());
    wait();
    writing_ = std::async(std::launch::async, [this, taken = std::move(captures)]() mutable {
        keep(std::move(taken));
    });
    file_captures_ += records;
    return {.inserted = records};
}

void CaptureFill::keep(std::vector<CanonicalCapture> captures) {
    request_names(captures, arcs_, domains_, mimetypes_);
    for (NameIds* names : {&arcs_, &domains_, &mimetypes_}) names->resolve(names_connection_);
    for (CanonicalCapture& capture : captures) {
        auto& [c, canonical] = capture;
        c.file = number_of(arcs_, c.file);
        canonical.domain = number_of(domains_, canonical.domain);
        c.mimetype = number_of(mimetypes_, mimetype_name(c.mimetype));
        blocks_.add(capture);
    }
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
    connection_.query(queries::kFillFile, parameters(path_, static_cast<std::int64_t>(bytes_),
                                                     file_captures_, captured_));
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
        connection_.query(queries::kFillLeave);
        progress_.line("first fill: nothing was read, and nothing is published");
        return 0;
    }
    for (const std::string& name : options_.collections) collections_.request(name);
    collections_.resolve(names_connection_);
    collection_ids_ = collections_.ids(options_.collections);

    progress_.line(fmt::format("first fill: sorts and writes {} captures", captures_));
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);  // others would take ids that are given out here
    const pg::Result opened = connection_.query(queries::kFillOpen, parameters(captured_));
    datestamp_ = pg::read_integer(opened.bytes(0, 0));
    first_id_ = pg::read_integer(opened.bytes(0, 1));
    const pg::Result sets = connection_.query(queries::kFillSets);
    for (int i = 0; i < sets.rows(); ++i) {
        std::vector<int> path;
        pg::read_int4_array(sets.bytes(i, 1), path);
        chunks_.add_set(static_cast<int>(pg::read_integer(sets.bytes(i, 0))), std::move(path));
    }
    progress_.begin_count("first fill: writing", captures_, std::chrono::steady_clock::now());
    write_parts();

    progress_.line("first fill: makes the indexes");
    pg::Parameters end;
    end.add(written_).add(first_id_).add(datestamp_).add(captured_);
    add_set_sizes(end);
    connection_.query(queries::kFillEnd, end);
    connection_.query(queries::kCommit);
    connection_.query(queries::kFillLeave);
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

std::vector<CanonicalCapture> CaptureFill::read_part(const Part& part) {
    std::vector<CanonicalCapture> found;
    std::int64_t last = 0;
    for (;;) {
        const pg::Result blocks = names_connection_.query(
            queries::kFillBlocks, parameters(std::int64_t{part.bucket}, last));
        if (blocks.rows() == 0) break;
        for (int i = 0; i < blocks.rows(); ++i) {
            std::string_view rows = blocks.bytes(i, 1);
            while (!rows.empty()) {
                CanonicalCapture capture = take_capture(rows);
                const std::uint32_t spot = fill_place(order_, capture).spot;
                if (spot >= part.first && spot <= part.last) found.push_back(std::move(capture));
            }
        }
        last = pg::read_integer(blocks.bytes(blocks.rows() - 1, 0));
    }
    std::stable_sort(found.begin(), found.end(),
                     [this](const auto& a, const auto& b) { return is_before(order_, a, b); });
    return found;
}

void CaptureFill::write_parts() {
    const std::vector<Part> parts = this->parts();
    std::int64_t taken = 0;
    std::future<std::vector<CanonicalCapture>> next;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::vector<CanonicalCapture> rows = next.valid() ? next.get() : read_part(parts[i]);
        if (i + 1 < parts.size())
            next = std::async(std::launch::async,
                              [this, &parts, i] { return read_part(parts[i + 1]); });
        for (CanonicalCapture& row : rows) {
            add_to_group(std::move(row));
            if (++taken % 1000 == 0) progress_.count(taken, std::chrono::steady_clock::now());
        }
        end_group();
    }
    write_batch();
    write_chunks(chunks_.take_rest());
}

void CaptureFill::add_to_group(CanonicalCapture capture) {
    if (!group_.empty() && (time_of(group_[0]) != time_of(capture) ||
                            group_[0].canonical.surt != capture.canonical.surt))
        end_group();
    group_.push_back(std::move(capture));
}

// What two files say of one capture is merged as within a slice.
void CaptureFill::end_group() {
    if (group_.size() > 1) {
        std::map<std::string, CanonicalUrl> by_url;
        CaptureSlice slice;
        for (auto& [capture, canonical] : group_) {
            by_url.emplace(capture.url, std::move(canonical));
            slice.add(std::move(capture));
        }
        for (auto& [capture, canonical] : slice.records()) canonical = by_url.at(capture.url);
        group_ = std::move(slice.records());
    }
    std::move(group_.begin(), group_.end(), std::back_inserter(batch_));
    group_.clear();
    if (batch_.size() >= kBatch) write_batch();
}

void CaptureFill::write_batch() {
    write_docs();
    write_chunks(chunks_.take_full());
    if (order_ == FillOrder::time) write_calendar();
    written_ += static_cast<std::int64_t>(batch_.size());
    batch_.clear();
}

std::vector<int> CaptureFill::sets_of(const CanonicalCapture& capture) const {
    std::vector<int> sets;
    for (const std::string* const id : {&capture.canonical.domain, &capture.capture.mimetype})
        if (!id->empty()) sets.push_back(std::stoi(*id));
    sets.insert(sets.end(), collection_ids_.begin(), collection_ids_.end());
    return sets;
}

std::int64_t CaptureFill::datestamp_of(const CanonicalCapture& capture) const {
    return order_ == FillOrder::time ? std::min(time_of(capture), datestamp_) : datestamp_;
}

// In the order of queries::kFillDocs.
void CaptureFill::write_docs() {
    pg::CopyWriter out(connection_, queries::kFillDocs);
    std::int64_t seq = written_;
    for (const CanonicalCapture& row : batch_) {
        const auto& [capture, canonical] = row;
        const std::vector<int> sets = sets_of(row);
        chunks_.add(++seq, sets);
        out.add(std::optional(first_id_ + seq - 1));
        out.add(std::optional(seq));
        out.add(time_text(datestamp_of(row)));
        out.add(time_text(time_of(row)));
        out.add(capture.status);
        out.add_or_null(capture.digest);
        for (const auto& number : {capture.length, capture.offset}) out.add(number);
        for (const std::string* const number :
             {&capture.file, &canonical.domain, &capture.mimetype})
            out.add_or_null(*number);
        out.add(capture.url);
        out.add(canonical.surt);
        out.add_or_null(capture.request);
        out.add(capture.revisit);
        out.add_or_null(capture.about.title);
        out.add_or_null(capture.about.language);
        out.add_or_null(capture.about.description);
        out.add(sets);
        out.end_row();
    }
    out.finish();
}

void CaptureFill::write_calendar() {
    pg::CopyWriter out(connection_, queries::kFillCalendar);
    std::int64_t before = written_;
    for (const CanonicalCapture& row : batch_) {
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

void CaptureFill::write_chunks(const std::vector<SetChunk>& chunks) {
    if (chunks.empty()) return;
    pg::CopyWriter out(connection_, queries::kFillChunks);
    for (const SetChunk& chunk : chunks) {
        out.add(std::optional(chunk.set_id));
        out.add(std::optional(chunk.first_seq));
        out.add(chunk.differences);
        out.end_row();
    }
    out.finish();
}

void CaptureFill::add_set_sizes(pg::Parameters& parameters) const {
    std::string sets = "{", sizes = "{";
    for (const auto& [id, size] : chunks_.sizes()) {
        const char* const comma = sets.size() > 1 ? "," : "";
        sets += comma + std::to_string(id);
        sizes += comma + std::to_string(size);
    }
    parameters.add(sets + '}').add(sizes + '}');
}

}  // namespace oai::load
