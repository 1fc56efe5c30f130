// SPDX-License-Identifier: MIT
// Detects a list whose resumption tokens lead back to an earlier page, by Brent's cycle-finding
// algorithm: constant memory, however long the list is. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tools/harvest/sink.h"

namespace oai::harvest {

// A hash of what makes a page distinct: the token it was requested with, the identifiers and
// datestamps of its records, and the token of the next page.
std::uint64_t page_hash(std::string_view request_token, std::span<const Record> records,
                        std::string_view next_token);

class CycleDetector {
  public:
    // Call once for each page. Returns true if the page has been seen before: immediately if it
    // equals the previous page, otherwise before the walk is three times as long as the list was
    // when it first repeated itself. Pages with equal hashes count as equal (chance: 2^-64).
    bool closes_cycle(std::uint64_t hash);

  private:
    std::uint64_t previous_ = 0;   // hash of the previous page
    std::uint64_t reference_ = 0;  // hash of the page number that was last a power of two
    std::uint64_t pages_ = 0, next_reference_page_ = 1;
};

}  // namespace oai::harvest
