// SPDX-License-Identifier: MIT
// Helpers of the compiler that read a stylesheet as libxslt keeps it after its own compilation
// (whitespace is stripped, xsl:text has become text, excluded namespaces are removed), and check
// whether it belongs to the compiled subset (README). They do not change libxslt's nodes.
#pragma once

#include <libxml/tree.h>
#include <libxslt/xsltInternals.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "transform/stylesheet.h"
#include "xml/handle.h"

namespace oai::transform {

using xml::view;

// Thrown for a construct outside of the subset, with its description and place.
class Unsupported : public std::runtime_error {
  public:
    Unsupported(const xmlNode* node, const std::string& what)
        : std::runtime_error(what), node_(node) {}
    const xmlNode* node() const { return node_; }

  private:
    const xmlNode* node_;
};
[[noreturn]] void refuse(const xmlNode* node, const std::string& what);

bool is_xslt(const xmlNode* node);
bool is_ignored(const xmlNode* node);  // a comment or a processing instruction
bool is_instruction(const xmlNode* node, std::string_view name);  // of XSLT
std::string qualified(const xmlNs* ns, const xmlChar* name);      // with the prefix

bool has_attribute(const xmlNode* node, const char* name);
// The value of the attribute. Throws Unsupported if there is none.
std::string attribute(const xmlNode* node, const char* name);
// Throws Unsupported if the node has other attributes, except for xml:*, which libxslt has handled.
void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names);

// The only template that matches records. Throws Unsupported if there are others, or the stylesheet
// or an import has an unsupported construct.
const xsltTemplate* record_template(const Stylesheet& stylesheet);
// The template that xsl:apply-imports applies within a template of `style`; nullptr: none.
const xsltTemplate* imported_record_template(const xsltStylesheet* style);
// The template of that name, and the xsl:variable or xsl:param of the stylesheet; nullptr: none.
const xsltTemplate* named_template(const xsltStylesheet* style, const std::string& name);
const xmlNode* global_variable(const xsltStylesheet* style, const std::string& name);
// The only child element. Throws Unsupported if there is anything else.
const xmlNode* only_element(const xmlNode* parent);

}  // namespace oai::transform
