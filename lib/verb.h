// SPDX-License-Identifier: MIT
// What a verb is given and what it gives back. One function per verb family; the dispatch table is in service.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "base/spare_threads.h"
#include "envelope.h"
#include "exclusions.h"
#include "format.h"
#include "reach.h"
#include "repository.h"
#include "store.h"
#include "token.h"

namespace oai {

// Reads the horizon last seen, without waiting for the database. Throws Unavailable if none was ever seen.
using LastHorizon = std::function<Horizon()>;

// The exclusions last seen; waits for the database only when none were ever read.
using LastExcluded = std::function<std::shared_ptr<const ExcludedRecords>()>;

struct Context {
    const Repository& repository;
    Store& store;
    std::shared_ptr<const FormatRegistry> formats;
    const TokenSealer& sealer;
    const Clock& clock;
    LastHorizon last_horizon;
    LastExcluded excluded;
    SpareThreads& spare;
    Reach floor{};  // what this server has answered before the request came: no answer stays behind it
};

// A record that its format's stylesheet could not disseminate; or a set, by its setSpec, whose description is no element.
struct BadRecord {
    std::string identifier;
    std::string why;
};

// What happened, for the request's log line and the metrics. service.cpp, which alone logs, also gives each bad record a line.
struct Account {
    int records = 0;
    std::int64_t cursor = 0;
    std::int64_t size = -1;  // completeListSize; -1: not known
    bool more = false;       // the list goes on after this page
    std::chrono::nanoseconds database{0};   // waited for the database, a free connection included
    std::chrono::nanoseconds transform{0};  // spent in stylesheets, by all threads together
    std::vector<BadRecord> bad_records;
    std::optional<BadRecord> difference;  // one that the compiled stylesheet made otherwise than libxslt
};

struct VerbResult {
    OaiErrors errors{};      // not empty: the request was answered by these
    Horizon horizon{};       // of the snapshot that answered, or the last one seen: responseDate is made of it
    std::string document{};  // the answer; a verb leaves it empty where there are errors
    bool closed = false;     // a list that nothing published from now on belongs to (caching.h)
};

// Throws Unavailable, Fault, pg::Error, pg::Busy.
using VerbFunction = VerbResult (*)(const Context&, const ParsedArguments&, Account&);

VerbResult verb_identify(const Context&, const ParsedArguments&, Account&);
VerbResult verb_formats(const Context&, const ParsedArguments&, Account&);
VerbResult verb_sets(const Context&, const ParsedArguments&, Account&);
VerbResult verb_get_record(const Context&, const ParsedArguments&, Account&);
VerbResult verb_list(const Context&, const ParsedArguments&, Account&);  // ListIdentifiers and ListRecords

}  // namespace oai
