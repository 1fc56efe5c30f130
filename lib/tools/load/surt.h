// SPDX-License-Identifier: MIT
// The SURT of a URL (web/surt.h), and the names of the sets that a URL and its media type belong
// to. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai::load {

struct CanonicalUrl {
    std::string surt;
    // Name in the tree of domains: "cz:webarchiv:www" (host in lower-case A-labels, each through
    // set_label, reversed), "ip:192.0.2.1", "ip:2001~3Adb8~3A~3A1"; "" where the URL has no host,
    // or one longer than 253 bytes.
    std::string domain;
};

// `url`: as clean_url() gives it.
CanonicalUrl canonical_url(std::string_view url);

// "image/svg+xml" -> "image:svg~2Bxml", the name in the tree of media types; "" for "".
std::string mimetype_name(std::string_view media_type);

// The name of a collection which the administrator gives as "culture:estonia" or
// "col:culture:estonia"; "" if that is no setSpec.
std::string collection_name(std::string_view given);

}  // namespace oai::load
