// SPDX-License-Identifier: MIT
// ARC 1 (URL, IP, date, media type, length) and 2 (with status, checksum, location, offset, file), plain or gzip. What
// is damaged is reported, and reading goes on at the next record that can be found.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "load/findings.h"
#include "load/input.h"

namespace oai::load {

// `file`: the name that captures get. Throws std::runtime_error if the file cannot be read any further.
void read_arc(Input& input, const std::string& file, Findings& findings);

// The line before each document. URLs and media types with blanks in them are met in old files.
struct ArcHeader {
    std::string_view url, date, mimetype, status, checksum;
    std::uint64_t length = 0;
};
std::optional<ArcHeader> parse_arc_header(std::string_view line);

}  // namespace oai::load
