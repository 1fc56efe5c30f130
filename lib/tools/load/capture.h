// SPDX-License-Identifier: MIT
// What a web archive says of one capture: the plain value that readers produce and the loader
// stores. Knows neither the file formats nor the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

// Who takes what the readers of web archives find, in the order of the file: the loader stores it;
// tests and fuzz targets look at it.

class CaptureHandler {
  public:
    virtual ~CaptureHandler() = default;
    virtual void capture(Capture capture) = 0;
    // A sound record that is no capture, of this kind: "request", "warcinfo", "dns", ...
    virtual void skip(std::string_view kind) = 0;
    // Something was lost. offset: in the file, of the gzip member where compressed. what: plain
    // text, one line.
    virtual void damage(std::uint64_t offset, const std::string& what) = 0;
    // Nothing was lost, but the administrator should know. Once per file and kind.
    virtual void note(const std::string& what) = 0;
};

}  // namespace oai::load
