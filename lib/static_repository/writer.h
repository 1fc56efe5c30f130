// SPDX-License-Identifier: MIT
// Writes a static repository (reader.h) of what a repository answers. Knows neither where the records come
// from nor that it is to be a file. Pure, but for the stream.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "static_repository/reader.h"
#include "xml/handle.h"

namespace oai::static_repository {

// In this order: head, for each format with records its list, end.
void write_head(std::ostream& out, const Identity& identity, const std::vector<std::string>& descriptions,
                const std::vector<Format>& formats);
void begin_list(std::ostream& out, const std::string& prefix);
// A <record> of an answer: its datestamp becomes a day, sets are left out. REQUIRES: it is not deleted.
void write_record(std::ostream& out, const xmlNode* record);
void end_list(std::ostream& out);
void write_end(std::ostream& out);

}  // namespace oai::static_repository
