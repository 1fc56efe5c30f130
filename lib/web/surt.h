// SPDX-License-Identifier: MIT
// The form in which web archives sort URLs (Sort-friendly URI Reordering Transform). The canonical
// form is that of the Internet Archive's tools in common use: scheme http(s), user, "www.", default
// port, fragment, session ids and trailing slash are dropped, the rest is in lower case,
// percent-encoding is minimal, the query's parameters are sorted. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai {

struct UrlHost {
    std::string text{};  // lower-case A-labels without empty ones; an IPv6 address in brackets
    bool ip = false;
};

struct Surt {
    // "cz,webarchiv)/path?a=1". Schemes other than http(s) stay: "ftp://cz,webarchiv)/",
    // "mailto:...". At most 2,000 bytes, for an index: a longer one ends in the hash of the whole.
    std::string text;
    UrlHost host{};  // its text is "" where the URL has none
};

// `url`: with its scheme, as loaders store it.
Surt surt_of(std::string_view url);

// The address by which a request other than GET is looked up: that of the URL with its method and
// body as further parameters of the query (CDX for non-GET requests, a draft of the IIPC). body: as
// canonical_body() in tools/load/field.h makes it. For GET and "" it is the URL.
std::string url_of_request(std::string_view url, std::string_view method, std::string_view body);

// A host as people write it, with capitals, accents, percent-encoding or a dot at its end.
UrlHost normal_host(std::string_view raw);
// How the SURT of a URL of the host begins, up to the port or the bracket: "cz,webarchiv".
std::string surt_of_host(const UrlHost& host);

}  // namespace oai
