// SPDX-License-Identifier: MIT
// WARC 1.0 and 1.1 (ISO 28500; drafts 0.17, 0.18 too), plain or gzip. response, resource and revisit records are
// captures; all others are passed over. A record counts only once its end was seen. What is damaged is reported, and
// reading goes on at the next record that can be found. Memory is bounded whatever the file holds.
#pragma once

#include <string>

#include "load/findings.h"
#include "load/input.h"

namespace oai::load {

// `file`: the name that captures get. Throws std::runtime_error if the file cannot be read any further.
void read_warc(Input& input, const std::string& file, Findings& findings);

}  // namespace oai::load
