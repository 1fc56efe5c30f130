// SPDX-License-Identifier: MIT
#include "harvest/circle.h"

namespace oai::harvest {
namespace {

// FNV-1a, and a byte that no text has between two.
std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    constexpr std::uint64_t kPrime = 1099511628211U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    return (hash ^ 0xFFU) * kPrime;
}

}  // namespace

std::uint64_t page_mark(std::string_view asked, std::span<const Record> records, std::string_view token) {
    std::uint64_t hash = mixed(mixed(14695981039346656037U, asked), token);
    for (const Record& record : records) hash = mixed(mixed(hash, record.identifier), record.datestamp);
    return hash;
}

bool Circle::closes(std::uint64_t mark) {
    const bool closed = steps_ > 0 && (mark == previous_ || mark == kept_);
    previous_ = mark;
    if (++steps_ == next_kept_) {
        kept_ = mark;
        next_kept_ *= 2;
    }
    return closed;
}

}  // namespace oai::harvest
