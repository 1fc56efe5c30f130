// SPDX-License-Identifier: MIT
// Compiles a stylesheet of the plain subset into operations (emit.h). The subset:
//   one xsl:template match="record" with one literal root element; nothing else at the top but xsl:output (method xml)
//   and elements of other namespaces that are no extensions;
//   literal elements and attributes, attribute value templates, text, xsl:text, xsl:value-of, xsl:if, xsl:choose,
//   xsl:for-each over @x, ../@x, x or ../x; xsl:element and xsl:attribute with a literal name;
//   of XPath: . @x ../@x x ../x (of the record's columns; @lang of a repeated element), literals, whole numbers;
//   = and != of strings, all comparisons of numbers; and or not(); concat() translate() (with literals) string()
//   normalize-space() substring-before() substring-after() starts-with() contains() string-length(), and within
//   xsl:for-each position() and last().
// Everything else is refused, and so is what is legal but better left to libxslt: it runs such a stylesheet.
#pragma once

#include <optional>
#include <string>

#include "xml/emit.h"
#include "xml/stylesheet.h"

namespace oai::xml {

struct Compilation {
    std::optional<Emission> emission;
    std::string why_not;  // "file:line: construct"
};

// `root_namespace`: of the literal root element, or it is refused. Thread-safe.
Compilation compile_emission(const Stylesheet& stylesheet, const std::string& root_namespace);

}  // namespace oai::xml
