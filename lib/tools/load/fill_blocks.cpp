// SPDX-License-Identifier: MIT
#include "tools/load/fill_blocks.h"

#include <charconv>
#include <iterator>
#include <stdexcept>
#include <tuple>

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

}  // namespace oai::load
