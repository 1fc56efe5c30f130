// SPDX-License-Identifier: MIT
// Maps paths to pages, and record identifiers to paths. Pages lie below base_url/browse; the path
// of base_url is where the program is mounted. Pure; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "web/request.h"

namespace oai {

struct PageAddress {
    enum class Kind {
        home,
        formats,
        sets,
        list,
        record,
        explore,
        search,
        captures,
        timemap,
        timegate,
        citation,
        linkset,
        sitemap_index,
        sitemap,
        robots,
        file,
        unknown
    };
    Kind kind = Kind::unknown;
    // The identifier of a record ("" if none was given), "FORMAT/IDENTIFIER" of a citation, the
    // range "AFTER-UPTO" of a sitemap, or the name of a file. Of a TimeMap and a TimeGate what
    // follows in the path, as it was sent: a URL, whose query is that of the request.
    std::string subject{};
};

// Whether the path is that of base_url, with or without a slash at its end.
bool is_base(std::string_view path, std::string_view mount);

// The page at a path as the client sent it. Kind::unknown: below /browse, but there is no such
// page. nullopt: neither below /browse nor what programs ask a web archive for.
std::optional<PageAddress> page_address(std::string_view path, std::string_view mount);

// The path below /browse, as "record/oai:example.org:1". Slashes and colons are not encoded, since
// many web servers reject encoded ones.
std::string record_path(std::string_view identifier);

// An address from metadata as one that headers and links can hold: blanks, quotes, angle brackets,
// control characters and what is not ASCII are encoded.
std::string encoded_address(std::string_view address);

// The fields of a form that were filled in, as arguments.
std::vector<Argument> filled_fields(const Request& form, std::span<const std::string_view> names);

// The arguments as a query "a=1&b=2"; in values the characters of `kept` stay readable.
std::string query_of(const std::vector<Argument>& arguments, std::string_view kept);

}  // namespace oai
