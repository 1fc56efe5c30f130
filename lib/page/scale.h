// SPDX-License-Identifier: MIT
// The time axis of a histogram: a stretch of time in equal, round steps. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace oai {

struct Scale {
    std::vector<Seconds> bounds;  // ascending; a bin is [bounds[i], bounds[i + 1])
    int label_bytes = 20;         // so much of a printed datestamp tells one bin from the next: 4 is the year
};

// The finest of at most `most` bins that hold all of first..last, on whole seconds, minutes, hours, days, weeks, months
// or years. REQUIRES: first <= last, most >= 2; both in the years that a datestamp can have.
Scale make_scale(Seconds first, Seconds last, int most);

}  // namespace oai
