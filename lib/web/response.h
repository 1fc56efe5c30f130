// SPDX-License-Identifier: MIT
// A complete HTTP response. Nothing is sent to the client before the response is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "web/request.h"

namespace oai {

// One gzip member (RFC 1952), by ISA-L at level 1, or nullopt if it would not be shorter than the
// body and so many bytes. Thread-safe.
std::optional<std::string> gzip_compress(std::string_view body, std::size_t more = 0);

struct Response {
    int status = 200;
    // Content-Type comes first. Status and Content-Length are not among them.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
};

// A text/plain response of one sentence, with Retry-After if that is > 0, and Allow with 405. An
// error gets the id that its status has, unless the sentence ends with one.
Response plain_response(int status, const std::string& sentence, int retry_after_seconds = 0);
// 405 for a resource that allows only GET and HEAD.
Response only_by_get(const std::string& sentence);

// A response of status 200 and the given type, with Vary: Accept-Encoding. If `gzip` is set and the
// body has more than 1,000 bytes, it is compressed, provided that makes it shorter. Thread-safe.
Response text_response(std::string content_type, std::string body, bool gzip);

// Adds the name of a request header to Vary. REQUIRES: a response of text_response().
void vary_by(Response& response, std::string_view name);

// Whether this Accept-Encoding header names gzip, or x-gzip, with a weight above 0 or without one
// (RFC 9110, 12.5.3). "*" does not count, since every client reads an uncompressed response.
bool accepts_gzip(std::string_view accept_encoding);

// The part of a CGI response (RFC 3875, 6) before the body: "Status: ...", headers, Content-Length
// (except for 304), a blank line. REQUIRES: there are no control characters in the headers.
std::string cgi_head(const Response& response);

// What caches may do with an answer (RFC 9110, 8.8 and 13.1; RFC 9111). Pure; thread-safe.
//
// A list is closed if its `until` is not after the horizon: no later publication can get a
// datestamp in it. A cached page may show an outdated record, but the current version has a later
// datestamp, so an incremental harvest finds it. All other responses are momentary and must not be
// reused.

// A strong entity tag: the same on every host that has the same content.
std::string entity_tag(std::string_view content);

// Whether If-None-Match names the tag: RFC 9110, 13.1.2, weak comparison, since what web servers
// compress on the way gets a weak tag.
bool names_tag(std::string_view if_none_match, std::string_view tag);

struct CachePolicy {
    int seconds;  // how long a closed list may be cached without validation; 0: no caching
    int token_lifetime_seconds;  // a kept page's resumptionToken must live on: a seventh of this is
                                 // the most
};

// The weak tag of a page of a closed list, made from its records: responseDate and resumptionToken
// differ each time. It also changes after a seventh of the tokens' lifetime, and with the
// generation (TokenSealer::generation()), so that no cache keeps a token until it expires.
std::string page_tag(std::string_view records, std::string_view token_generation, Seconds now,
                     const CachePolicy& policy);

// Sets Cache-Control of a response with status 200. mark_closed(): it may be cached, and becomes a
// 304 if the client has it. mark_momentary(): it must be validated each time, unless it has a
// Cache-Control already.
void mark_closed(Response& response, const Request& request, const std::string& tag,
                 const CachePolicy& policy);
void mark_momentary(Response& response);
// For a file: it may be cached for so many seconds, and becomes a 304 if the client has it.
void mark_unchanging(Response& response, const Request& request, const std::string& tag,
                     int seconds);

}  // namespace oai
