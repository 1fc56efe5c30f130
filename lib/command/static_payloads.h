// SPDX-License-Identifier: MIT
// Keeps the records of a static repository, and what they say in <about>, as they are beside the
// items that were made of them: a gateway must not change the metadata (specification, 4), and an
// item has columns only for a part of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "pg/connection.h"
#include "tools/load/input.h"
#include "tools/static_repository/importer.h"

namespace oai::command {

// How many items got another payload or another <about> in a format, or lost theirs. payloads:
// nullopt where the importer keeps them (MARCXML, MODS); abouts: where there has never been one.
struct KeptChanges {
    std::optional<std::int64_t> payloads, abouts;
};

// By prefix. The connection is the loader's. REQUIRES: the survey is of the
// same input, and its items have been imported. Throws pg::Error, and as static_repository::read().
std::map<std::string, KeptChanges> keep_payloads(pg::Connection& connection, load::Input& input,
                                                 const static_repository::RepositorySurvey& survey,
                                                 const std::string& name_space);

}  // namespace oai::command
