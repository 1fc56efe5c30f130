// SPDX-License-Identifier: MIT
// Values of ARC, WARC, CDX and HTTP headers: from any bytes to what a Capture may hold. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai::load {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The first second of a date as harvest::date_meant_by() reads it.
std::optional<Seconds> parse_date(std::string_view s);

// "type/subtype" in lower case without parameters; "" if it does not follow RFC 9110's grammar, or
// is a placeholder ("-", "unk", "no-type", "warc/revisit").
std::string media_type(std::string_view s);

// 100-999, else nullopt.
std::optional<int> http_status(std::string_view s);

// "sha1:abc..." and "ABC..." are the same digest "ABC..."; other algorithms keep their lower-case
// prefix; "" for "-", what has blanks or control characters, or is longer than 150 bytes.
std::string digest(std::string_view s);

// A URL as it may stand in XML and in a list of words: blanks, control characters, bytes that are
// not UTF-8 and what XML 1.0 forbids are percent-encoded; a pair of <> around all of it, as wget
// writes it, is removed.
std::string clean_url(std::string_view s);

// Percent-encodes ill-formed UTF-8 alone, since the JSON parser refuses it.
std::string encode_ill_formed(std::string_view s);

// The name of a file if it is XML text of at most 1,000 bytes, and not "-"; else "".
std::string file_name(std::string_view s);

// The URL's scheme if no document has it: dns, filedesc, metadata, warcinfo, whois; else "".
std::string_view kind_of_no_document(std::string_view url);

// Status and media type from the HTTP response header at the start of `block`. A block that does
// not begin with "HTTP/" gives neither.
struct HttpFacts {
    std::optional<int> status;
    std::string mimetype;
};
HttpFacts http_facts(std::string_view block);

// How long the header of the HTTP response is that `block` begins with, with the empty line behind
// it, or the whole block if it does not end; 0 if the block begins with none, as of HTTP/0.9.
std::size_t http_header_bytes(std::string_view block);

// The value of the first field of this name in header lines "Name: value", folded lines joined.
// REQUIRES: the name is in lower case; those in the lines are compared without regard to case.
std::optional<std::string> header_field(std::string_view lines, std::string_view name);
// The same, and `lines` then begins behind it, where there may be another.
std::optional<std::string> take_header_field(std::string_view& lines, std::string_view name);

// The SURT of a URL (web/surt.h), and the names of the sets that a URL and its media type belong
// to. Pure, thread-safe.

struct CanonicalUrl {
    std::string surt;
    // Name in the tree of domains: "cz:webarchiv:www" (host in lower-case A-labels, each through
    // set_label, reversed), "ip:192.0.2.1", "ip:2001~3Adb8~3A~3A1"; "" where the URL has no host,
    // or one longer than 253 bytes.
    std::string domain;
};

// `url`: as clean_url() gives it. request: as Capture has it; it counts in the SURT.
CanonicalUrl canonical_url(std::string_view url, std::string_view request = "");

// "image/svg+xml" -> "image:svg~2Bxml", the name in the tree of media types; "" for "".
std::string mimetype_name(std::string_view media_type);

// The name of a collection which the administrator gives as "culture:estonia" or
// "col:culture:estonia"; "" if that is no setSpec.
std::string collection_name(std::string_view given);

}  // namespace oai::load
