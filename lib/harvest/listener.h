// SPDX-License-Identifier: MIT
// Who is told how a harvest goes, and who may stop it. Called by the thread that walks.
#pragma once

#include <chrono>
#include <string>

#include "harvest/sink.h"

namespace oai::harvest {

class Listener {
  public:
    virtual ~Listener() = default;
    virtual void at(const Position& position) = 0;   // a page was taken
    virtual void note(const std::string& what) = 0;  // something a person should know: one line, no line end
    virtual bool stop() const { return false; }      // asked between requests
    // Lets the time go by, and ends early when stop() becomes true. `why`, one line: what is waited for.
    virtual void wait(std::chrono::seconds time, const std::string& why);
};

}  // namespace oai::harvest
