// SPDX-License-Identifier: MIT
// What caches may do with an answer (RFC 9110, 8.8 and 13.1; RFC 9111). Knows no verbs. Pure;
// thread-safe.
//
// A list is closed when its `until` lies at or before the horizon: nothing that is published from
// now on gets a datestamp in it. Records can still leave it, as they change, so a cached page may
// show a record as it was; the record as it is has a later datestamp, and whoever harvests
// incrementally meets it there. No harvester misses anything by a cache, and responseDate of a
// cached page is older, which is safe. Every other answer is for its moment alone.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

// A strong entity tag: the same on every host that has the same content.
std::string entity_tag(std::string_view content);

// Whether If-None-Match names the tag: RFC 9110, 13.1.2, weak comparison, since what web servers
// compress on the way gets a weak tag.
bool names_tag(std::string_view if_none_match, std::string_view tag);

struct CachePolicy {
    int seconds;  // how long a closed list may be kept without asking; 0: nothing is cached
    int token_lifetime_seconds;  // a kept page's resumptionToken must live on: a seventh of this is
                                 // the most
};

// The weak tag of a page of a closed list, made from its records: responseDate and resumptionToken
// differ each time. It also changes after a seventh of the tokens' lifetime, and with the
// generation (TokenSealer::generation()), so that a cache cannot keep a token until it is dead.
std::string page_tag(std::string_view records, std::string_view token_generation, Seconds now,
                     const CachePolicy& policy);

// Gives an answer of status 200 its Cache-Control: that of a closed list may be kept, and is 304
// for who has it.
void mark_closed(Response& response, const Request& request, const std::string& tag,
                 const CachePolicy& policy);
void mark_momentary(Response& response);

}  // namespace oai
