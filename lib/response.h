// SPDX-License-Identifier: MIT
// A whole answer, ready to be written: nothing reaches the client before it is complete.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oai {

class SpareThreads;

struct Response {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;  // Content-Type first; no Status, no Content-Length
    std::string body;
};

// Hands an answer over to whoever asked; false: he has not taken all of it. Does not throw.
using Write = std::function<bool(const Response&)>;

// 503, 500, 405 and the like: text/plain, one sentence; Retry-After (whole seconds) if > 0; Allow with 405.
Response plain_response(int status, const std::string& sentence, int retry_after_seconds = 0);

// 200 of that type with Vary: Accept-Encoding; gzip (ISA-L, level 1) and Content-Encoding when asked for and the body is
// longer than 1,000 bytes (and gzip makes it shorter); spare: as gzip_compressed(). Thread-safe.
Response text_response(std::string content_type, std::string body, bool gzip, SpareThreads* spare = nullptr);
Response xml_response(std::string body, bool gzip, SpareThreads* spare = nullptr);  // text/xml; charset=UTF-8

// Adds a request header's name to Vary. REQUIRES: as text_response() makes it.
void vary_by(Response& response, std::string_view name);

// RFC 9110 12.5.3: is gzip acceptable by this Accept-Encoding? "" is no; q=0 is no; "*" is yes unless gzip;q=0;
// x-gzip is gzip; a weight that is not one is no.
bool accepts_gzip(std::string_view accept_encoding);

// What comes before the body, as CGI (RFC 3875, 6) wants it: "Status: ...", headers, Content-Length (not of a 304), blank
// line. REQUIRES: no control characters in headers.
std::string cgi_head(const Response& response);

}  // namespace oai
