// SPDX-License-Identifier: MIT
// Reads ARC files, version 1 (URL, IP, date, media type, length) and 2 (with status, checksum,
// location, offset, file), plain or gzip. Damage is reported, and reading goes on at the next
// record that can be found.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/load/capture_handler.h"
#include "tools/load/input.h"
#include "tools/load/record.h"

namespace oai::load {

// `file`: the name of the archive that captures get. Throws std::runtime_error if the file cannot
// be read any further.
void read_arc(Input& input, const std::string& file, CaptureHandler& handler,
              Descriptions descriptions = Descriptions::read);

// The line before each document. Old files have URLs and media types with blanks in them.
struct ArcHeader {
    std::string_view url, date, mimetype, status, checksum;
    std::uint64_t length = 0;
};
// nullopt if it is no such line.
std::optional<ArcHeader> parse_arc_header(std::string_view line);

}  // namespace oai::load
