// SPDX-License-Identifier: MIT
#include "browse/value_axis.h"

#include <algorithm>
#include <cmath>

namespace oai {
namespace {

constexpr std::int64_t kMaxIntervals = 5;

// 0 and the multiples of 1, 2 or 5 with zeros.
std::vector<std::int64_t> even_ticks(std::int64_t largest) {
    std::int64_t power = 1, step = 1;
    for (std::size_t i = 0; (largest + step - 1) / step > kMaxIntervals; ++i) {
        constexpr std::int64_t kFactors[] = {2, 5, 10};
        step = power * kFactors[i % 3];
        if (i % 3 == 2) power = step;
    }
    std::vector<std::int64_t> ticks{0};
    while (ticks.back() < largest) ticks.push_back(ticks.back() + step);
    return ticks;
}

// 0 and powers of ten, or of a hundred or more if there were too many.
std::vector<std::int64_t> powers(std::int64_t largest) {
    std::int64_t digits = 1;
    for (std::int64_t rest = largest - 1; rest >= 10; rest /= 10) ++digits;
    const std::int64_t stride = (digits + kMaxIntervals - 1) / kMaxIntervals;
    std::vector<std::int64_t> ticks{0};
    std::int64_t tick = 1;
    while (ticks.back() < largest) {
        for (std::int64_t i = 0; i < stride && tick < largest; ++i) tick *= 10;
        ticks.push_back(tick);
    }
    return ticks;
}

}  // namespace

double ValueAxis::position(std::int64_t number) const {
    const auto n = static_cast<double>(number), top = static_cast<double>(ticks.back());
    return logarithmic ? std::log1p(n) / std::log1p(top) : n / top;
}

ValueAxis make_axis(bool logarithmic, std::int64_t largest) {
    return {.logarithmic = logarithmic,
            .ticks = logarithmic ? powers(largest) : even_ticks(largest)};
}

bool wants_logarithm(std::span<const std::int64_t> numbers) {
    std::vector<std::int64_t> some;
    for (const std::int64_t n : numbers)
        if (n > 0) some.push_back(n);
    if (some.empty()) return false;
    std::sort(some.begin(), some.end());
    return some[(some.size() - 1) / 2] < some.back() / 20;
}

}  // namespace oai
