// SPDX-License-Identifier: MIT
// The time axis of a histogram: a period divided into equal, round steps. Pure.
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

}  // namespace oai
