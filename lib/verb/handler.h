// SPDX-License-Identifier: MIT
// The input and the result of a verb. A verb is a plain function that calls back into nothing; the
// VerbResult carries everything that later steps need, so that none searches the document.
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
    // The furthest position shown before the request; no response may fall behind it.
    ReplicaPosition floor{};

    // The last horizon that was read, without a query. Throws Unavailable if there is none.
    Horizon last_horizon() const { return latest.get(); }
    // Asks the database only if the value is not known yet.
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
    OaiErrors errors{};  // if there are any, the document contains only these
    // Of the snapshot that was read, or else the last known one. Determines responseDate.
    Horizon horizon{};
    std::string document{};  // the complete response body
    RequestStats stats{};

    // The fields below are set for lists of records only.
    DocumentRange
        records{};  // without responseDate and resumptionToken, which differ in every response
    std::string next_token{};  // sealed; "": the list ends here
    // The publication number of the last record that was read, written or not; the next page begins
    // after it. 0: there was no record.
    std::int64_t last_seq = 0;
    // No later publication can belong to the list, so that the page may be cached (web/response.h).
    bool closed = false;
    // Not empty: the request fails because records cannot be disseminated, and either on_bad_record
    // = fail or too many in a row are bad. The stats name the records.
    std::string fault{};

    std::string_view records_text() const {
        return std::string_view(document).substr(records.begin, records.end - records.begin);
    }
};

// Runs the verb. Errors of the arguments, or of the verb, become a document. Throws Unavailable
// (its subclass ReplicaLagging means that a retry may succeed), Fault, DatabaseError,
// NoConnectionFree.
VerbResult run_verb(const Context& context, const ParsedArguments& parsed);

// Reads the record of the identifier in the arguments. Sets result.horizon and the time of the
// database; adds an error and returns an empty batch if the record does not exist or is hidden from
// harvesters. columns: to be read if with_record. Throws as run_verb().
RecordBatch find_record(const Context& context, const ParsedArguments& parsed, bool with_record,
                        const ColumnNames& columns, VerbResult& result);

// The verbs. If result.errors is not empty, there is no document; run_verb() makes it.
VerbResult identify(const Context&, const ParsedArguments&);
VerbResult list_metadata_formats(const Context&, const ParsedArguments&);
VerbResult list_sets(const Context&, const ParsedArguments&);
VerbResult get_record(const Context&, const ParsedArguments&);
VerbResult list_records(const Context&, const ParsedArguments&);  // ListIdentifiers, ListRecords

}  // namespace oai
