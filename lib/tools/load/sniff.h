// SPDX-License-Identifier: MIT
// Finds out the format of a web archive from its first bytes. Formats that cannot be loaded but can
// be converted are named, so that the administrator learns what to do.
#pragma once

#include <string>
#include <string_view>

#include "tools/load/input.h"

namespace oai::load {

enum class FileFormat { arc, warc, cdx, cdxj };

// Consumes blank lines only. Throws std::runtime_error with words for the administrator ("is a zip
// file: unzip it and ...").
FileFormat sniff(Input& input);

// Throws as sniff() does if these first bytes are those of an archive or compressed file that no
// loader reads.
void refuse_foreign(std::string_view head);

}  // namespace oai::load
