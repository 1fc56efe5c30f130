// SPDX-License-Identifier: MIT
// Receives the events of a harvest, and may stop it. Called by the harvesting thread.
#pragma once

#include <chrono>
#include <string>

#include "tools/harvest/sink.h"

namespace oai::harvest {

class HarvestListener {
  public:
    virtual ~HarvestListener() = default;
    // A page was taken; `position` is behind it.
    virtual void on_page(const ListPosition& position) = 0;
    // Something the user should know: one line, without a line end.
    virtual void note(const std::string& what) = 0;
    // Checked between requests.
    virtual bool should_stop() const { return false; }
    // Sleeps for this time, or until should_stop() becomes true. `why`, one line: the reason for
    // the wait.
    virtual void wait(std::chrono::seconds time, const std::string& why);
};

}  // namespace oai::harvest
