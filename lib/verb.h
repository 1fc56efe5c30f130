// SPDX-License-Identifier: MIT
// What a verb is given and what it gives back. One function per verb family; the dispatch table is in service.cpp.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "arguments.h"
#include "envelope.h"
#include "format.h"
#include "repository.h"
#include "store.h"

namespace oai {

// Reads the horizon last seen, without waiting for the database. Throws Unavailable if none was ever seen.
using LastHorizon = std::function<Horizon()>;

struct Context {
    const Repository& repository;
    Store& store;
    std::shared_ptr<const FormatRegistry> formats;
    const TokenSealer& sealer;
    const Clock& clock;
    LastHorizon last_horizon;
};

// What happened, for the request's log line.
struct Account {
    int records = 0;
    int bad_records = 0;
    std::int64_t cursor = 0;
};

struct VerbResult {
    OaiErrors errors;     // not empty: an error document is the answer
    Seconds response_date{};
    std::string document; // else this
};

// Throws Unavailable, Fault, pg::Error, pg::Busy.
using VerbFunction = VerbResult (*)(const Context&, const ParsedArguments&, Account&);

VerbResult verb_identify(const Context&, const ParsedArguments&, Account&);
VerbResult verb_formats(const Context&, const ParsedArguments&, Account&);
VerbResult verb_sets(const Context&, const ParsedArguments&, Account&);
VerbResult verb_get_record(const Context&, const ParsedArguments&, Account&);
VerbResult verb_list(const Context&, const ParsedArguments&, Account&);  // ListIdentifiers and ListRecords

}  // namespace oai
