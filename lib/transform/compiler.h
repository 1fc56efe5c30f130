// SPDX-License-Identifier: MIT
// Compiles a stylesheet of the compiled subset (README) into a program. Everything else is refused,
// and so is what is legal but better left to libxslt, which then runs the stylesheet. Within xsl:if
// and the branches of xsl:choose what is refused becomes a Fallback: it costs only the records that
// come to it, which are left to libxslt.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transform/program.h"
#include "transform/stylesheet.h"

namespace oai::transform {

struct Compilation {
    std::optional<Program> program;
    std::string why_not;  // "file:line: construct"; "" it was compiled
};

// `root_namespace`: of the element that the stylesheet makes of a record, or it is refused.
// Thread-safe.
Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace);

// Whether a stylesheet looks beyond the record that it is at: what it makes of a record may then
// depend on the other records of the document, which are there by chance, as the page of a list
// has them. Such a stylesheet is given one record at a time.

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
