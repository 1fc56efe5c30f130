// SPDX-License-Identifier: MIT
// Whether a stylesheet looks beyond the record that it is at: what it makes of a record may then
// depend on the other records of the document, which are there by chance, as the page of a list
// has them. Such a stylesheet is given one record at a time.
#pragma once

#include <string>
#include <string_view>

#include "transform/stylesheet.h"

namespace oai::transform {

// The first place where a stylesheet, or one that it imports, may look beyond the record, as
// "FILE:LINE: what it has there"; "" if there is none. Judged by the words of its expressions and
// patterns (XPath 1.0, 2.2 and 4; XSLT 1.0, 5.2): a step up or aside, a path from the root, key()
// and id(), a place among records, a variable of the whole stylesheet that is no constant. It may
// name what does no harm, for it does not follow where templates are applied.
std::string place_beyond_record(const Stylesheet& stylesheet);

// The part of an XPath expression or XSLT pattern that may look beyond the record, such as
// "//marc:record" or "ancestor::"; empty: none. counts_records: whether position() and last()
// outside of a predicate may be about records.
std::string_view part_beyond_record(std::string_view expression, bool counts_records = true);

}  // namespace oai::transform
