// SPDX-License-Identifier: MIT
// Which page a path means, and how the address of a record is written. Pages lie below base_url/browse; where the
// program is mounted follows from base_url. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "request.h"

namespace oai {

struct PageAddress {
    enum class Kind { home, formats, sets, list, record, explore, conformance, sitemap_index, sitemap, robots, file, unknown };
    Kind kind = Kind::unknown;
    std::string subject{};  // record: its identifier, "" none given; sitemap: "AFTER-UPTO"; file: its name
};

// The path of base_url without a slash at its end: "/oai"; "" where it has none.
std::string mount_of(std::string_view base_url);

// Whether the path is base_url's own, with or without a slash at its end.
bool is_base(std::string_view path, std::string_view mount);

// The page of a raw path; unknown: below /browse, but nothing is there. nullopt: not below /browse.
std::optional<PageAddress> page_address(std::string_view path, std::string_view mount);

// Below /browse: "record/oai:example.org:1". Slashes and colons stay, or web servers would not let it through.
std::string record_path(std::string_view identifier);

// The first argument of the name, "" if there is none.
std::string_view argument_of(const Request& request, std::string_view name);

}  // namespace oai
