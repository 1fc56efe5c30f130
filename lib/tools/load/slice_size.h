// SPDX-License-Identifier: MIT
// How many records the next slice of a loader has, so that it locks the row of oai.horizon for
// 0.8 s at most: the horizon does not move meanwhile (see Publisher, too). Knows no clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace oai::load {

struct SliceSizes {
    std::size_t first, least, most;  // records; a smaller slice than the least is left
    bool leave_to_publisher = false;
};

// now: the size so far; records: of the slice that locked the row for `locked`, which may have been
// gathered when the size was another. Goes half of the way to what fits, since one slice may be an
// exception, and at most to double the size. A slice that was short enough, because few of its
// records were new, makes no other shorter.
inline std::size_t next_slice_size(const SliceSizes& sizes, std::size_t now, std::size_t records,
                                   std::chrono::milliseconds locked) {
    constexpr std::size_t kMostMilliseconds = 750;
    const auto took = std::max<std::size_t>(static_cast<std::size_t>(locked.count()), 1);
    std::size_t fitting = records * kMostMilliseconds / took;
    if (took <= kMostMilliseconds) fitting = std::max(fitting, now);
    const std::size_t next = std::min((now + fitting) / 2, 2 * now);
    return std::clamp(next, std::min(sizes.least, sizes.most), sizes.most);
}

}  // namespace oai::load
