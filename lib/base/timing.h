// SPDX-License-Identifier: MIT
// Measures how long pieces of work take, summed up.
#pragma once

#include <chrono>
#include <utility>

namespace oai {

// Calls `work`, adds its duration to `sum` even if it throws, and returns its result.
template <class Work>
auto measure(std::chrono::nanoseconds& sum, Work&& work) {
    struct Timer {
        std::chrono::nanoseconds& sum;
        const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
        ~Timer() { sum += std::chrono::steady_clock::now() - began; }
    };
    const Timer timer{sum};
    return std::forward<Work>(work)();
}

}  // namespace oai
