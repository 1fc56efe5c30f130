// SPDX-License-Identifier: MIT
#include "tools/harvest/cycle_detector.h"

namespace oai::harvest {
namespace {

// FNV-1a. Each text is followed by a byte that occurs in no UTF-8 text, so that "ab", "c" and "a",
// "bc" differ.
std::uint64_t add_text(std::uint64_t hash, std::string_view text) {
    constexpr std::uint64_t kPrime = 1099511628211U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    return (hash ^ 0xFFU) * kPrime;
}

}  // namespace

std::uint64_t page_hash(std::string_view request_token, std::span<const Record> records,
                        std::string_view next_token) {
    constexpr std::uint64_t kOffsetBasis = 14695981039346656037U;
    std::uint64_t hash = add_text(add_text(kOffsetBasis, request_token), next_token);
    for (const Record& record : records)
        hash = add_text(add_text(hash, record.identifier), record.datestamp);
    return hash;
}

bool CycleDetector::closes_cycle(std::uint64_t hash) {
    const bool closed = pages_ > 0 && (hash == previous_ || hash == reference_);
    previous_ = hash;
    if (++pages_ == next_reference_page_) {
        reference_ = hash;
        next_reference_page_ *= 2;
    }
    return closed;
}

}  // namespace oai::harvest
