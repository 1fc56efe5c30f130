// SPDX-License-Identifier: MIT
// ListIdentifiers and ListRecords (OAI-PMH 2.0, 4.3, 4.5) without a database: arguments or a
// resumptionToken become a query, a position is judged, and what is left becomes the next token.
// ListSets takes part in it, where last_seq is the id of a set. Pure.
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

// What is listed, whether the list begins or goes on.
struct ListRequest {
    bool first;             // page of the list
    ResumptionToken start;  // a first request is a token with nothing behind it yet
    bool with_metadata;     // ListRecords
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

// What is wrong with a list's arguments, as far as it shows without the database.
OaiErrors judge_request(const ListRequest& request, const Format* format, bool has_sets);

// For the first rows of a page of at most `records`. `since`: of the format (since_of()).
ListQuery first_query(const ListRequest& request, const Format& format,
                      std::optional<Seconds> since, int records, int count_limit);
// The query for a page to which the first rows, up to the number `after`, gave nothing: twice as
// many rows, within a limit, so that a rare format is found in longer strides.
ListQuery further_query(const ListQuery& query, std::int64_t after);

// How far the answer must reach: as far as the token's list was shown, and as this server has
// answered before (`floor`).
ReplicaPosition required_reach(const ListRequest& request, const ReplicaPosition& floor);

// What only the database knows of the request; nullopt: the page can be read. Throws
// ReplicaLagging where a database that is further might judge otherwise.
std::optional<OaiError> judge_position(const ListRequest& request, const Position& position,
                                       std::optional<Seconds> since, const ReplicaPosition& reach);
// A page to which nothing belongs. A list that a token goes on with may have ended meanwhile, as
// its last records have moved beyond its `until`: badResumptionToken would start it anew.
OaiError no_records(const ListRequest& request);

// left_out: records were counted that the list does not have, so the count is wrong (-1).
// undelivered: that were counted but cannot be delivered.
std::int64_t corrected_size(std::int64_t size, bool left_out, int undelivered);

// The token for the page after one with so many records, the last of number `last_seq`. reach: of
// the list up to here.
ResumptionToken next_token(const ListRequest& request, const Position& position,
                           const ReplicaPosition& reach, std::int64_t last_seq, int records,
                           std::int64_t size, Seconds now);

}  // namespace oai
