// SPDX-License-Identifier: MIT
// Holds the clock of the database against one that nobody sets. What is published by a clock that
// is ahead cannot be taken back: the next datestamp is later still, so that nothing more can be
// published until the true time is there.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace oai {

class ClockGuard {
  public:
    using Uptime = std::chrono::seconds;  // since the host was started, sleep included
    static constexpr std::chrono::seconds kTolerance{60}, kTrial{120};

    // Returns by how many seconds the clock has jumped ahead since the last call, if that is more
    // than the tolerance and has not lasted as long as the trial; 0: it may be published by.
    std::int64_t jump(Seconds database, Uptime now) {
        const auto ahead = seen_ ? database - (seen_->database + (now - seen_->at)) : Uptime{};
        if (ahead <= kTolerance) jumped_.reset();
        if (ahead > kTolerance && !jumped_) jumped_ = now;
        if (jumped_ && now - *jumped_ < kTrial) return ahead.count();
        jumped_.reset();
        seen_ = {database, now};
        return 0;
    }

  private:
    struct Sight {
        Seconds database;
        Uptime at;
    };
    std::optional<Sight> seen_;     // of the clock as it was believed
    std::optional<Uptime> jumped_;  // since when it is not
};

}  // namespace oai
