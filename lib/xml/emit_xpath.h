// SPDX-License-Identifier: MIT
// The XPath expressions of the plain subset (emit_compiler.h), parsed into Expressions. Knows no XSLT.
#pragma once

#include <libxml/tree.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "xml/emit.h"

namespace oai::xml {

// Something that the plain subset does not have: the construct, in words.
class Unsupported : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Where an expression stands: in the template, or within an xsl:for-each over an attribute or over child elements.
enum class Stand { record, attribute, entry };

// What an expression is made for. Names that it reads are added to `emission`, as are its points.
struct XPathContext {
    Emission& emission;
    Stand stand;
    const xmlNode* node;  // of the stylesheet: for its line and its prefixes
};

// Each throws Unsupported. A set of nodes, as xsl:for-each selects: kind attribute or child. Elements, as xsl:copy-of does: tree.
Expression parse_nodes(std::string_view source, const XPathContext& context);
Expression parse_tree(std::string_view source, const XPathContext& context);
Expression parse_string(std::string_view source, const XPathContext& context);  // converted as by string()
Expression parse_test(std::string_view source, const XPathContext& context);    // converted as by boolean()

}  // namespace oai::xml
