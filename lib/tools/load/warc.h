// SPDX-License-Identifier: MIT
// Reads WARC files, 1.0 and 1.1 (ISO 28500; drafts 0.17 and 0.18, too), plain or gzip. response,
// resource and revisit records are captures; all others are passed over. A record counts only when
// its end has been found. Damage is reported, and reading goes on at the next record that can be
// found. Memory is bounded whatever the file holds.
#pragma once

#include <string>

#include "tools/load/capture_handler.h"
#include "tools/load/input.h"
#include "tools/load/record.h"

namespace oai::load {

// `file`: the name of the archive that captures get. Throws std::runtime_error if the file cannot
// be read any further.
void read_warc(Input& input, const std::string& file, CaptureHandler& handler,
               Descriptions descriptions = Descriptions::read);

}  // namespace oai::load
