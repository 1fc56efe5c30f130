// SPDX-License-Identifier: MIT
// A URL as web archives order it (Sort-friendly URI Reordering Transform) and the names of the sets that it and its
// media type belong to. The canonical form is that of the Internet Archive's tools in common use: scheme http(s),
// user, "www.", default port, fragment, session ids, trailing slash are dropped, the rest in lower case, percent-
// encoding made minimal, the query's parameters sorted. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai::load {

struct Canonical {
    // "cz,webarchiv)/path?a=1". Schemes other than http(s) stay: "ftp://cz,webarchiv)/", "mailto:...".
    // At most 2,000 bytes (an index row holds no more): a longer one ends in the hash of the whole.
    std::string surt;
    // Name in the tree of domains: "cz:webarchiv:www" (host in lower-case A-labels, each through set_label, reversed),
    // "ip:192.0.2.1", "ip:2001~3Adb8~3A~3A1"; "" where the URL has no host, or one longer than 253 bytes.
    std::string domain;
};

// `url`: as clean_url() gives it.
Canonical canonical(std::string_view url);

// "image/svg+xml" -> "image:svg~2Bxml", the name in the tree of media types; "" for "".
std::string mimetype_name(std::string_view media_type);

// A collection as the administrator wrote it, "culture:estonia" or "col:culture:estonia": its name, or "" if that
// is no setSpec.
std::string collection_name(std::string_view given);

}  // namespace oai::load
