// SPDX-License-Identifier: MIT
// What `oai map --check` and `oai check` say of a mapping: where harvesters see something else than
// the tables hold.
#pragma once

#include <cstdint>
#include <string>

#include "command/check.h"
#include "pg/connection.h"

namespace oai::command {

// Prints a line for each difference, "IDENTIFIER<TAB>what is wrong", and returns how many there
// are. Of bounded memory.
std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix);

// By a sample, as problems of the part "map"; nothing if the database has no mapping.
void check_map_sample(pg::Connection& database, Findings& findings);

}  // namespace oai::command
