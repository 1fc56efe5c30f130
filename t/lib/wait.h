// SPDX-License-Identifier: MIT
// How tests wait, each with a limit of minutes, so that no verdict depends on how quick the machine
// is.
#pragma once

#include <chrono>
#include <thread>

namespace oai::test {

inline constexpr std::chrono::minutes kWaitLimit{5};

// Between two steps of a load, or until a limit of the program has run out: that it takes longer
// must make no difference.
template <typename Duration>
void pace(Duration duration) {
    std::this_thread::sleep_for(duration);
}

// Whether the condition becomes true.
template <typename Condition>
bool wait_until(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + kWaitLimit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        pace(std::chrono::milliseconds{5});
    }
    return true;
}

}  // namespace oai::test
