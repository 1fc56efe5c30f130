// SPDX-License-Identifier: MIT
// Measures how long pieces of work take, summed up.
#pragma once

#include <chrono>
#include <utility>

namespace oai {

// Adds the time between its construction and its destruction to a sum.
class ScopedTimer {
  public:
    explicit ScopedTimer(std::chrono::nanoseconds& sum) : sum_(sum) {}
    ~ScopedTimer() { sum_ += std::chrono::steady_clock::now() - began_; }
    ScopedTimer(const ScopedTimer&) = delete;
    ScopedTimer& operator=(const ScopedTimer&) = delete;

  private:
    std::chrono::nanoseconds& sum_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Calls `work`, adds its duration to `sum`, and returns its result.
template <class Work>
auto measure(std::chrono::nanoseconds& sum, Work&& work) {
    const ScopedTimer timer(sum);
    return std::forward<Work>(work)();
}

}  // namespace oai
