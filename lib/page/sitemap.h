// SPDX-License-Identifier: MIT
// For crawlers: the addresses of all records' pages, in parts that never change their name (sitemaps.org), and what to
// say in robots.txt. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "page/pages.h"

namespace oai {

// <sitemapindex>: a part for every 10,000 numbers of the list, 50,000 beyond 250 million, each with the datestamp of its
// last record. `pages`: the address of the pages, "http://example.org/oai/browse".
std::string sitemap_index(const PageQuestion& question, std::string_view pages);

// <urlset> of one part, "AFTER-UPTO"; "" for what is none. Deleted records are left out.
std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages);

// Lines for the robots.txt of the site; `mount`: the path of base_url.
std::string robots_advice(std::string_view pages, std::string_view mount);

}  // namespace oai
