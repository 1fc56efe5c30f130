// SPDX-License-Identifier: MIT
// Where the time comes from. Code that answers requests never asks the system for the time: it is
// given a Clock, so that answers are reproducible in tests.
#pragma once

#include <chrono>

namespace oai {

using Seconds = std::chrono::sys_seconds;  // UTC; OAI-PMH datestamps have no fractions (3.3)

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Seconds now() const = 0;
};

class SystemClock final : public Clock {
  public:
    Seconds now() const override {
        return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    }
};

// For tests and for `oai token --now`.
class FixedClock final : public Clock {
  public:
    explicit FixedClock(Seconds now) : now_(now) {}
    Seconds now() const override { return now_; }

  private:
    Seconds now_;
};

}  // namespace oai
