// SPDX-License-Identifier: MIT
// Rows of the statements in queries.h as plain values, and values as parameters of these. Pure.
// Throws pg::Error for bytes that are no value of the column's type, Unavailable and Fault as
// Store.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "store/dictionary.h"
#include "store/list_query.h"
#include "store/set_specs.h"

namespace oai::rows {

// Columns 0 to 3 of row 0 of kPosition, kGet... and kSets. lag: becomes Horizon::lag.
Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag);

// A row of kPosition.
struct PositionRow {
    Position position;
    std::optional<std::int64_t> set_id;
};
PositionRow read_position(const pg::Result& row, std::chrono::seconds lag);
pg::Parameters position_parameters(const ListQuery& query);  // of kPosition

std::vector<Set> read_sets(const pg::Result& rows);                 // kSets; by id
std::vector<SetSpecs::Row> read_set_specs(const pg::Result& rows);  // kSetSpecs
std::vector<Dictionary::Row> read_names(const pg::Result& rows);    // kNames

// Both parameters by which a statement is told what was seen.
void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen);
// An array literal. REQUIRES: ids are not empty.
std::string array_of(const std::vector<int>& ids);

}  // namespace oai::rows
