// SPDX-License-Identifier: MIT
// The records of a static repository as they are, beside the items that were made of them: a gateway must not change the
// metadata (specification, 4), and an item knows less than a format may say.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "load/input.h"
#include "pg/connection.h"
#include "static_repository/importer.h"

namespace oai::command {

// Of each format but those that the importer keeps (MARCXML, MODS): how many items got another payload, or have none any
// more. The connection is the loader's. REQUIRES: the survey of the same input, and its items are there. Throws pg::Error,
// and as static_repository::read().
std::map<std::string, std::int64_t> keep_payloads(pg::Connection& connection, load::Input& input,
                                                  const static_repository::Survey& survey,
                                                  const std::string& name_space);

}  // namespace oai::command
