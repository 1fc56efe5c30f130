// SPDX-License-Identifier: MIT
// A complete HTTP response. Nothing is sent to the client before the response is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oai {

// The weight of an element in an Accept-Encoding or Accept-Language header. RFC 9110, 12.4.2. Pure.

// The parameter q, in thousandths, among these parameters ("q=0.5", "level=1; q=0.5"): 1000 if
// there is none, 0 if it is malformed, the least of several. `parameters` may begin with ';'.
int quality_value(std::string_view parameters);

// Compresses the bodies of responses with gzip (RFC 1952), by ISA-L at level 1. Thread-safe.

// Returns one gzip member, or nullopt if it would not be shorter than the body.
std::optional<std::string> gzip_compress(std::string_view body);

struct Response {
    int status = 200;
    // Content-Type comes first. Status and Content-Length are not among them.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
};

// A text/plain response of one sentence, for errors such as 503, 500 or 405. Has Retry-After (in
// whole seconds) if that is > 0, and Allow with 405.
Response plain_response(int status, const std::string& sentence, int retry_after_seconds = 0);
// 405 for what is there by GET and HEAD alone.
Response only_by_get(const std::string& sentence);

// A response of status 200 and the given type, with Vary: Accept-Encoding. If `gzip` is set and the
// body has more than 1,000 bytes, it is compressed, provided that makes it shorter. Thread-safe.
Response text_response(std::string content_type, std::string body, bool gzip);
// The same for text/xml; charset=UTF-8.
Response xml_response(std::string body, bool gzip);

// Adds the name of a request header to Vary. REQUIRES: a response of text_response() or
// xml_response().
void vary_by(Response& response, std::string_view name);

// Whether this Accept-Encoding header allows gzip (RFC 9110, 12.5.3). An empty header and q=0 do
// not; "*" does, unless there is gzip;q=0; x-gzip means gzip; an invalid weight counts as 0.
bool accepts_gzip(std::string_view accept_encoding);

// The part of a CGI response (RFC 3875, 6) before the body: "Status: ...", headers, Content-Length
// (except for 304), a blank line. REQUIRES: there are no control characters in the headers.
std::string cgi_head(const Response& response);

}  // namespace oai
