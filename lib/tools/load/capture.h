// SPDX-License-Identifier: MIT
// What a web archive says of one capture: the plain value that readers produce and the loader
// stores. Knows neither the file formats nor the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "tools/load/document_description.h"

namespace oai::load {

struct Capture {
    std::string url;            // XML text: bytes that are not have been percent-encoded
    Seconds archived_time{};    // UTC
    std::string mimetype;       // lower-case "type/subtype" without parameters; "" unknown
    std::optional<int> status;  // HTTP status 100-999
    std::string digest;  // SHA-1 in base32 without prefix, else "algorithm:value"; "" unknown
    std::string file;    // the ARC or WARC file that holds it; "" unknown
    // Of the record in that file, in bytes; where it is compressed, of its gzip member.
    std::optional<std::int64_t> length, offset;
    DocumentDescription about;  // what the document says of itself
};

}  // namespace oai::load
