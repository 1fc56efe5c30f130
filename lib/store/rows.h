// SPDX-License-Identifier: MIT
// Rows of the statements in queries.h as plain values, and values as parameters of these. Pure.
// Throws pg::Error for bytes that are no value of the column's type, Unavailable and Fault as
// Store.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "pg/connection.h"
#include "store/record_cursor.h"

namespace oai::rows {

// Columns 0 to 2 of row 0 of kHorizon, kPosition, kResume, kGet... and kSets. lag: becomes
// Horizon::lag.
Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag);

// Of kResume: where a list stands that goes on after what the query names.
Position read_resumed_position(const pg::Result& row, const ListQuery& query,
                               std::chrono::seconds lag);
Position read_position(const pg::Result& row, std::chrono::seconds lag);  // kPosition
pg::Parameters position_parameters(const ListQuery& query);               // of kPosition
pg::Parameters resume_parameters(const ListQuery& query);                 // of kResume

std::vector<Set> read_sets(const pg::Result& rows);  // kSets; by id

// Both parameters by which a statement is told what was seen.
void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen);

}  // namespace oai::rows
