// SPDX-License-Identifier: MIT
// The parts of ListIdentifiers and ListRecords (OAI-PMH 2.0, 4.3, 4.5) that need no database: from
// arguments or a resumptionToken to a query, from a position to errors, and to the next token.
// ListSets uses some of them, with the id of a set for last_seq. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/config.h"
#include "format/format.h"
#include "protocol/arguments.h"
#include "protocol/error.h"
#include "protocol/resumption_token.h"
#include "store/record_cursor.h"
#include "store/replica.h"

namespace oai {

// A request for a page, the first of a list or a later one.
struct ListRequest {
    bool first;             // the first page of the list
    ResumptionToken start;  // for a first page, a token that is made from the arguments
    bool with_metadata;     // true for ListRecords
};
ListRequest list_request(const Arguments& arguments);

// A page ends when one of these is spent. It is never empty.
struct PageBudget {
    int records;
    std::size_t bytes;
    std::chrono::milliseconds time;

    bool is_spent(int records_written, std::size_t bytes_written,
                  std::chrono::nanoseconds elapsed) const {
        return records_written > 0 &&
               (records_written >= records || bytes_written >= bytes || elapsed >= time);
    }
};
PageBudget page_budget(const Config::Lists& lists, const Format& format);

// The errors of a list request that can be found without the database.
OaiErrors check_request(const ListRequest& request, const Format* format, bool has_sets);

// The first query for a page of at most `records`. `since`: of the format (since_of()).
ListQuery first_query(const ListRequest& request, const Format& format,
                      std::optional<Seconds> since, int records, int count_limit);
// The next query for a page that is still empty after the rows up to `after`: for twice as many
// rows, up to a limit, so that few queries suffice for a format that few records have.
ListQuery further_query(const ListQuery& query, std::int64_t after);

// The position that the database must have reached: that of the list's pages so far, and that of
// this server's earlier responses (`floor`).
ReplicaPosition required_reach(const ListRequest& request, const ReplicaPosition& floor);

// The error of a request that shows only in the database; nullopt: the page can be read. Throws
// ReplicaLagging if a database that is further ahead might give another result.
std::optional<OaiError> check_position(const ListRequest& request, const Position& position,
                                       std::optional<Seconds> since, const ReplicaPosition& reach);
// The error for an empty page. It is noRecordsMatch for a token, too: if the last records have
// moved beyond `until`, the list has ended, and badResumptionToken would restart it.
OaiError no_records(const ListRequest& request);

// completeListSize without the `undelivered` records that could not be disseminated; -1 (unknown)
// if records were `left_out` that the count includes.
std::int64_t corrected_size(std::int64_t size, bool left_out, int undelivered);

// The token for the page after one of `records` records that ended at `last_seq`. reach: the
// furthest position that the list's pages have shown.
ResumptionToken next_token(const ListRequest& request, const Position& position,
                           const ReplicaPosition& reach, std::int64_t last_seq, int records,
                           std::int64_t size, Seconds now);

}  // namespace oai
