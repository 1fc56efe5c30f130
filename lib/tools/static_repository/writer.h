// SPDX-License-Identifier: MIT
// Writes a static repository (reader.h) from a repository's answers. Knows neither where the
// records come from nor that the stream is a file. Pure, but for the stream.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/static_repository/reader.h"
#include "xml/handle.h"

namespace oai::static_repository {

// To be called in this order: write_head; for each format with records begin_list, write_record,
// end_list; write_end.
void write_head(std::ostream& out, const StaticIdentity& identity,
                const std::vector<std::string>& descriptions,
                const std::vector<StaticFormat>& formats);
void begin_list(std::ostream& out, const std::string& prefix);
// Writes a <record> of an answer: its datestamp becomes a day, sets are left out. REQUIRES: it is
// not deleted.
void write_record(std::ostream& out, const xmlNode* record);
void end_list(std::ostream& out);
void write_end(std::ostream& out);

}  // namespace oai::static_repository
