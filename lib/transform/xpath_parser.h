// SPDX-License-Identifier: MIT
// Parses XPath expressions of the compiled subset (README). Knows no XSLT.
#pragma once

#include <libxml/tree.h>
#include <libxslt/xsltInternals.h>

#include <string>
#include <string_view>

#include "transform/program.h"

namespace oai::transform {

// The kind of the context node: the record; the current attribute or child element of an
// xsl:for-each; or the document, for variables of the stylesheet.
enum class ContextKind { record, attribute, child, document };

// A variable or parameter in scope.
struct VariableBinding {
    std::string name;
    std::size_t slot;  // of VariableText
    VariableKind kind;
    const VariableBinding* outer = nullptr;  // the previous declaration; nullptr: none
};

// The context in which an expression is parsed.
struct XPathContext {
    Program& program;
    ContextKind kind;
    const xmlNode* node;               // of the stylesheet, for its line and namespace prefixes
    const xsltStylesheet* style;       // which has the variables of the stylesheet
    const VariableBinding* variables;  // of templates; nullptr: none
};

// Each throws Unsupported (stylesheet_source.h) for an expression outside of the subset.
ColumnNodes parse_nodes(std::string_view source, const XPathContext& context);  // for xsl:for-each
StoredElements parse_stored_elements(std::string_view source, const XPathContext& context);
Expression parse_string(std::string_view source, const XPathContext& context);  // as by string()
Expression parse_test(std::string_view source, const XPathContext& context);    // as by boolean()
VariableKind kind_of(const Expression& e);  // of a variable with this value

}  // namespace oai::transform
