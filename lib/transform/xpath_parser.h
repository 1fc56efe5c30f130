// SPDX-License-Identifier: MIT
// Parses XPath expressions of the compiled subset (README). Knows no XSLT.
#pragma once

#include <libxml/tree.h>
#include <libxslt/xsltInternals.h>

#include <string>
#include <string_view>

#include "transform/program.h"

namespace oai::transform {

// The node that an expression is evaluated for: the record, the one that an xsl:for-each over an
// attribute or over child elements stands on, or the document, for variables of the stylesheet.
enum class ContextKind { record, attribute, child, document };

// A variable or parameter that can be referred to where an expression stands.
struct VariableBinding {
    std::string name;
    std::size_t slot;  // of VariableText
    VariableKind kind;
    const VariableBinding* outer = nullptr;  // the one declared before it; nullptr: none
};

// What an expression is parsed for.
struct XPathContext {
    Program& program;
    ContextKind kind;
    const xmlNode* node;               // of the stylesheet: for its line and its prefixes
    const xsltStylesheet* style;       // which has the variables of the stylesheet
    const VariableBinding* variables;  // of templates; nullptr: none
};

// Each throws Unsupported (stylesheet_source.h) for what is not in the subset.
ColumnNodes parse_nodes(std::string_view source, const XPathContext& context);  // for xsl:for-each
StoredElements parse_stored_elements(std::string_view source, const XPathContext& context);
Expression parse_string(std::string_view source, const XPathContext& context);  // as by string()
Expression parse_test(std::string_view source, const XPathContext& context);    // as by boolean()
VariableKind kind_of(const Expression& e);  // of a variable that has its value

}  // namespace oai::transform
