// SPDX-License-Identifier: MIT
// For crawlers: a sitemap (sitemaps.org) of all records' pages, in parts whose addresses never
// change, and lines for robots.txt. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "browse/pages.h"

namespace oai {

// <sitemapindex>: a part for every 10,000 publication numbers, or every 50,000 if there are more
// than 250 million, each with the datestamp of its last record. `pages`: the address of the pages,
// "http://example.org/oai/browse".
std::string sitemap_index(const PageQuestion& question, std::string_view pages);

// <urlset> of the part "AFTER-UPTO"; "" if there cannot be such a part. Deleted records are left
// out.
std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages);

// Lines for the robots.txt of the site. `mount`: the path of base_url.
std::string robots_advice(std::string_view pages, std::string_view mount);

}  // namespace oai
