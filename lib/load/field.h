// SPDX-License-Identifier: MIT
// The values that ARC, WARC, CDX and HTTP headers carry, from whatever bytes stand there to what a Capture may hold.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai::load {

// YYYYMMDDhhmmss, with up to 3 more digits that are cut off. nullopt: another form, or no such date or time.
std::optional<Seconds> parse_date14(std::string_view s);

// WARC-Date (ISO 28500): YYYY-MM-DDThh:mm:ss[.fraction]Z, or as WARC 1.1 allows, cut after year, month, day or minute.
std::optional<Seconds> parse_warc_date(std::string_view s);

// "type/subtype" in lower case without parameters; "" if it does not keep RFC 9110's grammar, or says nothing
// ("-", "unk", "no-type", "warc/revisit").
std::string media_type(std::string_view s);

// 100-999, else nullopt.
std::optional<int> http_status(std::string_view s);

// "sha1:abc..." and "ABC..." are the same digest "ABC..."; other algorithms keep their lower-case prefix; "" for "-",
// what has blanks or control characters, or is longer than 150 bytes.
std::string digest(std::string_view s);

// A URL as it may stand in XML and in a list of words: blanks, control characters, bytes that are not UTF-8 and what
// XML 1.0 forbids are percent-encoded; a pair of <> around all of it (wget) is taken off.
std::string clean_url(std::string_view s);

// The same encoding of ill-formed UTF-8 alone, for JSON, whose parser refuses it.
std::string encode_ill_formed(std::string_view s);

// A name of a file: XML text of at most 1,000 bytes, else "". "-" is "".
std::string file_name(std::string_view s);

// What the URL's scheme says it is when it is no document: "dns", "filedesc", "warcinfo", "whois", else "".
std::string_view kind_of_no_document(std::string_view url);

// Status and media type by an HTTP response header at the begin of `block` (at most the header is looked at).
// A block that does not begin with "HTTP/" gives neither.
struct HttpFacts {
    std::optional<int> status;
    std::string mimetype;
};
HttpFacts http_facts(std::string_view block);

// The value of the field in header lines "Name: value", folded lines joined; name compared without case. The first.
std::optional<std::string> header_field(std::string_view lines, std::string_view name);

}  // namespace oai::load
