// SPDX-License-Identifier: MIT
// Compiles a stylesheet of the plain subset into operations (emit.h). The subset:
//   one xsl:template match="record" with one literal root element, or xsl:copy-of of what is stored, or an xsl:choose of these;
//   nothing else at the top but xsl:output (method xml), elements of other namespaces that are no extensions, and xsl:import of
//   templates that have a name alone;
//   literal elements and attributes, attribute value templates, text, xsl:text, xsl:value-of, xsl:if, xsl:choose,
//   xsl:for-each over @x, ../@x, x or ../x; xsl:element and xsl:attribute with a literal name;
//   xsl:copy-of, not within xsl:for-each, of elements at the top of a column of XML: x/* or x/p:name, either with
//   [p:child = 'text'] or [p:child = /records/@metadataNamespace];
//   of XPath: . @x ../@x x ../x (of the record's columns; @lang of a repeated element), literals, whole numbers;
//   = and != of strings, all comparisons of numbers; and or not(); concat() translate() (with literals) string()
//   normalize-space() substring-before() substring-after() starts-with() contains() string-length(), within
//   xsl:for-each position() and last(), and what xsl:copy-of takes as a condition.
// Everything else is refused, and so is what is legal but better left to libxslt: it runs such a stylesheet. Within xsl:if and
// the branches of xsl:choose what is refused costs only the records that come to it: those are libxslt's.
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
