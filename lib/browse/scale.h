// SPDX-License-Identifier: MIT
// The axes of a histogram: a period, and numbers from 0 up, divided into equal, round steps. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace oai {

struct Scale {
    std::vector<Seconds> bounds;  // ascending; a bin is [bounds[i], bounds[i + 1])
    // The length of the prefix of a printed datestamp that differs from bin to bin: 4 for years.
    int label_bytes = 20;
};

// The finest scale of at most max_bins bins that covers first to last, in steps of whole seconds,
// minutes, hours, days, weeks, months or years. REQUIRES: first <= last, max_bins >= 2, both times
// in the years that a datestamp can have.
Scale make_scale(Seconds first, Seconds last, int max_bins);

// 2 to 6 numbers, ascending: 0 and multiples of 1, 2 or 5 with zeros, up to at least the largest,
// which is above 0.
std::vector<std::int64_t> even_ticks(std::int64_t largest);

}  // namespace oai
