// SPDX-License-Identifier: MIT
// Keeps the records of a static repository as they are beside the items that were made of them: a
// gateway must not change the metadata (specification, 4), and an item has columns only for a part
// of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pg/connection.h"
#include "tools/load/input.h"
#include "tools/static_repository/importer.h"

namespace oai::command {

// For each format but those that the importer keeps (MARCXML, MODS), returns how many items got
// another payload or lost theirs. The connection is the loader's. REQUIRES: the survey is of the
// same input, and its items have been imported. Throws pg::Error, and as static_repository::read().
std::map<std::string, std::int64_t> keep_payloads(pg::Connection& connection, load::Input& input,
                                                  const static_repository::RepositorySurvey& survey,
                                                  const std::string& name_space);

}  // namespace oai::command
