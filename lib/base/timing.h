// SPDX-License-Identifier: MIT
// Where the time goes: sums of what several pieces of work took.
#pragma once

#include <chrono>
#include <utility>

namespace oai {

// Adds the time from its beginning to its end to a sum, however the end comes.
class Timing {
  public:
    explicit Timing(std::chrono::nanoseconds& sum) : sum_(sum) {}
    ~Timing() { sum_ += std::chrono::steady_clock::now() - began_; }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

  private:
    std::chrono::nanoseconds& sum_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// What `work` returns.
template <class Work>
auto timed(std::chrono::nanoseconds& sum, Work&& work) {
    const Timing timing(sum);
    return std::forward<Work>(work)();
}

}  // namespace oai
