// SPDX-License-Identifier: MIT
// Bibliographic items as CSV (RFC 4180), plain or gzip, UTF-8. The first line names the columns, in any order and
// separated by comma, semicolon or tab, which then separates all fields:
//   local_id                      the repository's own identifier; without it, the first value of `identifier`
//   title, title@cs, creator ...  the fifteen elements, with the language of the values; columns may be repeated
//   doi, urn, landing_page, licence, year, isbn, issn, kind, collection
// A field of an element, of isbn, issn or collection holds several values between separators. Damage costs its row.
#pragma once

#include <string>
#include <string_view>

#include "load/input.h"
#include "load/item.h"

namespace oai::load {

// Is it a header line of such a file?
bool is_csv_header(std::string_view line);

// Throws std::runtime_error if the file cannot be read any further, or the header line has columns that are none.
void read_items_csv(Input& input, char value_separator, ItemFindings& findings);

}  // namespace oai::load
