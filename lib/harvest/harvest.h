// SPDX-License-Identifier: MIT
// Harvesting one repository: Identify, then every wished list page by page into a sink. It survives what repositories
// do (RUNBOOK, "Harvesting others"): waits as it is told, asks again for what came damaged, repairs forbidden characters,
// leaves out a record that cannot be had and says so, and never takes a truncated or endless list for a complete one.
// OAI-PMH 2.0, 3.5 (flow control), 4 (verbs). Several repositories: one call per thread, a client each.
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
    int tries = 5;         // of one request
    int busy_tries = 30;   // of one request that is answered by 429 or 503 with Retry-After, beside the tries
    int restarts = 3;      // of one list whose token its repository no longer knows
    int empty_pages = 50;  // in a row
    std::chrono::seconds first_wait{2};      // between tries, doubled each time, unless Retry-After says how long
    std::chrono::seconds longest_wait{600};  // more than that is not waited, whatever Retry-After says
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
        failed,      // gave up; what was taken is kept, and the next call goes on there where that makes sense
    };
    Kind kind = Kind::complete;
    std::string why;           // "" when complete: the first reason, one line
    std::int64_t records = 0;  // taken in this call, deleted ones included
    std::int64_t deleted = 0;
    std::int64_t pages = 0;
    std::int64_t pages_missing = 0;
    std::int64_t repaired = 0;  // characters that XML forbids, now U+FFFD
    bool unreachable = false;    // failed, and the repository gave no answer of OAI-PMH at all
};

const char* word_of(Outcome::Kind kind);  // "complete"

// Does not throw for what the repository does: that is the outcome. Throws what the sink throws. REQUIRES:
// xml::initialise(). Bounds of an answer (bytes, seconds) and who asks are the client's, used by this call alone.
Outcome harvest(http::Client& client, const Wish& wish, Sink& sink, Listener& listener);

// One answer alone, with the patience of a harvest. Throw std::runtime_error, one line that says why it cannot be had.
Identity identify(http::Client& client, const std::string& url, const Patience& patience, Listener& listener);
std::vector<FormatInfo> list_formats(http::Client& client, const std::string& url, const Patience& patience,
                                     Listener& listener);
std::vector<SetInfo> list_sets(http::Client& client, const std::string& url, const Patience& patience,
                               Listener& listener);  // all pages

}  // namespace oai::harvest
