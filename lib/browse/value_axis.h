// SPDX-License-Identifier: MIT
// The vertical axis of a histogram: numbers of records from 0 up, on a linear or a logarithmic
// scale. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace oai {

struct ValueAxis {
    bool logarithmic = false;
    std::vector<std::int64_t> ticks;  // 2 to 6, ascending, from 0 to at least the largest number

    // Where the number stands, from 0 at the bottom to 1 at the last tick. On the logarithmic scale
    // that is the logarithm of one more than the number, so that 0 has a place.
    double position(std::int64_t number) const;
};

// REQUIRES: largest > 0.
ValueAxis make_axis(bool logarithmic, std::int64_t largest);

// Whether these numbers are better seen on a logarithmic scale: half of those above 0 would be less
// than a twentieth as high as the largest one on a linear scale.
bool wants_logarithm(std::span<const std::int64_t> numbers);

}  // namespace oai
