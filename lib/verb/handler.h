// SPDX-License-Identifier: MIT
// What a verb is given and what it returns. A verb is a plain function: it calls nothing of the
// server's, and what later stops need to know of its answer stands in the VerbResult.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "format/format.h"
#include "protocol/arguments.h"
#include "protocol/envelope.h"
#include "protocol/repository.h"
#include "protocol/resumption_token.h"
#include "store/horizon_watch.h"
#include "store/replica.h"
#include "store/store.h"
#include "verb/request_stats.h"

namespace oai {

struct Context {
    const Repository& repository;
    Store& store;
    std::shared_ptr<const FormatRegistry> formats;
    const TokenSealer& sealer;
    const Clock& clock;
    const LatestHorizon& latest;
    // What this server had answered before the request came: no answer stays behind it.
    ReplicaPosition floor{};

    // The last horizon that was read, without waiting for the database. Throws Unavailable if none
    // was ever read.
    Horizon last_horizon() const { return latest.get(); }
    // Waits for the database only if nobody has asked for it yet.
    Seconds earliest_datestamp() const {
        const auto earliest = latest.get().earliest;
        return earliest ? *earliest : store.horizon().earliest.value();
    }
};

// A part of VerbResult::document, in bytes.
struct DocumentRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct VerbResult {
    OaiErrors errors{};  // not empty: the document says these
    // Of the snapshot that the answer was read from, or the last one read: gives responseDate.
    Horizon horizon{};
    std::string document{};  // whole, as it is sent
    RequestStats stats{};

    // The rest is of lists of records.
    DocumentRange records{};   // without responseDate and resumptionToken, which always differ
    std::string next_token{};  // sealed; "": the list ends here
    // The publication number of the last record that the page went through, whether or not it is
    // shown; the next page begins after it. 0: there was no record.
    std::int64_t last_seq = 0;
    // Nothing that is published from now on belongs to the list (web/response.h).
    bool closed = false;
    // Not empty: there is no answer, since records cannot be disseminated and policy or patience
    // ends the request. The stats say which records.
    std::string fault{};

    std::string_view records_text() const {
        return std::string_view(document).substr(records.begin, records.end - records.begin);
    }
};

// Runs the verb; where it found errors, their document is the answer. Throws Unavailable (of these
// ReplicaLagging is worth a retry), Fault, DatabaseError and NoConnectionFree.
// REQUIRES: parsed.errors is empty.
VerbResult run_verb(const Context& context, const ParsedArguments& parsed);
// The answer to a request whose arguments are wrong by themselves: the document of parsed.errors.
// Throws Unavailable. REQUIRES: parsed.errors is not empty.
VerbResult refuse_arguments(const Context& context, const ParsedArguments& parsed);

// The record that the identifier names. Notes the horizon, how long the database took and, where
// there is no such record or harvesters do not see it, the error; the batch is then empty. columns:
// of it, if with_record. Throws as run_verb().
RecordBatch find_record(const Context& context, const ParsedArguments& parsed, bool with_record,
                        const ColumnNames& columns, VerbResult& result);

// One verb each, as run_verb(), but without a document where there are errors.
VerbResult identify(const Context&, const ParsedArguments&);
VerbResult list_metadata_formats(const Context&, const ParsedArguments&);
VerbResult list_sets(const Context&, const ParsedArguments&);
VerbResult get_record(const Context&, const ParsedArguments&);
VerbResult list_records(const Context&, const ParsedArguments&);  // ListIdentifiers, ListRecords

}  // namespace oai
