// SPDX-License-Identifier: MIT
// The conformance test (validate/check.h) of this repository, in process, and its report. It asks some hundred requests,
// so it is made once an hour at most, by one request, in bounded time; all others are given the last one. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "page/own_asker.h"

namespace oai {

class Conformance {
  public:
    static constexpr std::chrono::seconds kKept{3600};  // a report; an attempt that failed is not repeated earlier than
    static constexpr std::chrono::seconds kPause{60};   // this
    static constexpr std::chrono::seconds kMost{20};    // for all requests of one

    // <report made="" passed="" ...><group name=""><check id="" ...>...; "" while the first one is being made, or was
    // tried and failed a moment ago. Throws as verbs do, from whoever makes it.
    std::string report(const AskOwn& ask, const Repository& repository, const std::string& schemas, const Clock& clock);

  private:
    std::mutex mutex_;         // of what follows
    bool busy_ = false;        // one is being made
    Seconds due_{};            // not earlier than this the next one is made
    std::string report_;
};

}  // namespace oai
