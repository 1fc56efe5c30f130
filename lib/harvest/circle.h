// SPDX-License-Identifier: MIT
// Whether a list leads back into itself: Brent's algorithm, in the memory of three numbers however long the list is. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harvest/sink.h"

namespace oai::harvest {

// A page as it matters here: what was asked for, what came, and where it goes on.
std::uint64_t page_mark(std::string_view asked, std::span<const Record> records, std::string_view token);

class Circle {
  public:
    // True if the page came before: at once if it is the one before, else before the list has thrice the length it had
    // when it closed. Two pages with one mark count as the same (a chance of 2^-64).
    bool closes(std::uint64_t mark);

  private:
    std::uint64_t previous_ = 0, kept_ = 0;
    std::uint64_t steps_ = 0, next_kept_ = 1;
};

}  // namespace oai::harvest
