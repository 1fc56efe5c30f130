// SPDX-License-Identifier: MIT
// Reads bibliographic items from CSV (RFC 4180), plain or gzip, UTF-8. The first line names the
// columns, in any order and separated by comma, semicolon or tab, which then separates all fields:
//   local_id  the repository's own identifier; without it, the first value of `identifier`
//   title, title@cs, creator ...  the fifteen elements of Dublin Core, with the language of their
//             values; such columns may be repeated
//   doi, urn, landing_page, licence, year, isbn, issn, kind, collection
// A field of an element, of isbn, issn or collection may hold several values between separators.
// A damaged row is left out and reported.
#pragma once

#include <string>
#include <string_view>

#include "tools/load/input.h"
#include "tools/load/item.h"

namespace oai::load {

// Whether this is the header line of such a file: some column is known.
bool is_csv_header(std::string_view line);

// value_separator: between several values of a field. Throws std::runtime_error if the file cannot
// be read any further, or the header line has an unknown column.
void read_items_csv(Input& input, char value_separator, ItemHandler& handler);

}  // namespace oai::load
