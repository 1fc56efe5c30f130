// SPDX-License-Identifier: MIT
// Harvesting one repository: Identify, then every wished list page by page into a sink. It survives what
// repositories do (RUNBOOK, "Harvesting"): waits as it is told, asks again what came damaged, repairs
// forbidden characters, leaves out a page that cannot be had and says so, and never takes a truncated or
// endless list for a complete one. OAI-PMH 2.0, 3.5 (flow control), 4 (verbs). Several repositories: one call
// per thread, a client each.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "harvest/listener.h"
#include "harvest/sink.h"

namespace oai::http {
class Client;
}

namespace oai::harvest {

// What to do when something goes wrong, and when to give up.
struct Patience {
    int tries = 5;           // of one request, in all, beside those that a 503 asks to repeat
    int restarts = 3;        // of one list whose token its repository no longer knows
    int empty_pages = 50;    // in a row
    int missing_pages = 20;  // of one list
    std::size_t page_bytes = std::size_t{256} << 20U;  // of one answer, unpacked
};

struct Wish {
    std::string url;                     // base URL
    std::vector<std::string> prefixes;   // metadataPrefix; empty: oai_dc
    std::vector<std::string> set_specs;  // empty: the whole repository
    std::string from, until;             // as in OAI-PMH; from "": since the last complete harvest
    bool full = false;                   // from its beginning, whatever was harvested before
    bool sets_too = false;               // ask ListSets
    std::chrono::seconds overlap{0};     // the next harvest begins so much before the last one's responseDate
    std::int64_t most_records = 0;       // of each list; then it stops and can be resumed. 0: all
    Patience patience;
};

struct Outcome {
    enum class Kind {
        complete,    // every wished list to its end
        incomplete,  // to its end, but pages are missing: the next harvest asks for the same time again
        stopped,     // by most_records or by the listener: the next call goes on there
        failed,      // gave up; what was taken is kept, and the next call goes on there if that makes sense
    };
    Kind kind = Kind::complete;
    std::string why;           // "" when complete: the first reason, one line
    std::int64_t records = 0;  // taken in this call, deleted ones included
    std::int64_t deleted = 0;
    std::int64_t pages = 0;
    std::int64_t pages_missing = 0;
    std::int64_t repaired = 0;  // characters that XML forbids, now U+FFFD
};

// Does not throw for what the repository does: that is the outcome. Throws what the sink throws.
// The client keeps the repository's host waiting and its own promises (http/client.h); it is used by this
// call alone.
Outcome harvest(http::Client& client, const Wish& wish, Sink& sink, Listener& listener);

// Identify alone. Throws std::runtime_error, one line that says why it cannot be had.
Identity identify(http::Client& client, const std::string& url);

}  // namespace oai::harvest
