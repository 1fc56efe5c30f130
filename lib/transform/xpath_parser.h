// SPDX-License-Identifier: MIT
// Parses XPath expressions of the compiled subset (README). Knows no XSLT.
#pragma once

#include <libxml/tree.h>

#include <string_view>

#include "transform/program.h"

namespace oai::transform {

// The node that an expression is evaluated for: the record, or the one that an xsl:for-each over an
// attribute or over child elements stands on.
enum class ContextKind { record, attribute, child };

// What an expression is parsed for. Names that it reads and coverage points are added to the
// program.
struct XPathContext {
    Program& program;
    ContextKind kind;
    const xmlNode* node;  // of the stylesheet: for its line and its prefixes
};

// Each throws Unsupported (stylesheet_source.h) for what is not in the subset.
std::size_t parse_nodes(std::string_view source,
                        const XPathContext& context);  // for xsl:for-each: of the slot
StoredElements parse_stored_elements(std::string_view source, const XPathContext& context);
Expression parse_string(std::string_view source, const XPathContext& context);  // as by string()
Expression parse_test(std::string_view source, const XPathContext& context);    // as by boolean()

}  // namespace oai::transform
