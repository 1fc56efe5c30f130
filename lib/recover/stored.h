// SPDX-License-Identifier: MIT
// One record of an ARC or WARC file, whole in memory: what was archived, and what the record says of it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "load/input.h"

namespace oai::recover {

constexpr std::size_t kLargestRecordBytes = std::size_t{512} << 20;

struct Stored {
    enum class Kind { response, resource, revisit };
    Kind kind = Kind::response;
    std::string url;
    Seconds time{};
    std::string header;       // lines of the WARC header without the first; "" of ARC
    std::string block;        // as it stands in the file
    std::size_t payload = 0;  // where it begins in the block, behind an HTTP header
    std::string digest;       // of the payload, as load::digest() writes it; "" not said
    std::string refers_to;    // revisit: URL of the original; "" not said
    std::optional<Seconds> refers_to_time;
    std::string media_type;  // "" unknown
    int status = 0;          // of HTTP; 0: it has none

    std::string_view http_header() const { return std::string_view(block).substr(0, payload); }
    std::string_view body() const { return std::string_view(block).substr(payload); }
};

// The bytes end before the record does.
class CutShort : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The record that begins here. Throws CutShort, or std::runtime_error in words: none begins here, it is
// damaged, larger than kLargestRecordBytes, or of a kind that holds no document.
Stored read_stored(load::Input& input);

}  // namespace oai::recover
