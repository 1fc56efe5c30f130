// SPDX-License-Identifier: MIT
// Reads one record of an ARC or WARC file into memory: what was archived, and what the record says
// about it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "tools/load/input.h"

namespace oai::recover {

constexpr std::size_t kMaxRecordBytes = std::size_t{512} << 20;

struct ArchivedRecord {
    enum class Kind { response, resource, revisit };
    Kind kind = Kind::response;
    std::string url;
    Seconds time{};
    std::string header;       // lines of the WARC header without the first; "" for ARC
    std::string block;        // as it is in the file
    std::size_t payload = 0;  // offset in the block, after an HTTP header
    std::string digest;       // of the payload, as load::digest() writes it; "" if not given
    std::string refers_to;    // of a revisit: URL of the original; "" if not given
    std::optional<Seconds> refers_to_time;
    std::string media_type;  // "" if unknown
    int status = 0;          // of HTTP; 0 if there is none

    std::string_view http_header() const { return std::string_view(block).substr(0, payload); }
    std::string_view body() const { return std::string_view(block).substr(payload); }
};

// The input ends before the record does.
class CutShort : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Reads the record that begins here. Throws CutShort, or std::runtime_error with a message for the
// user: no record begins here, it is damaged, larger than kMaxRecordBytes, or of a type that holds
// no document.
ArchivedRecord read_archived_record(load::Input& input);

}  // namespace oai::recover
