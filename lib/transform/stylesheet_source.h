// SPDX-License-Identifier: MIT
// Reading a stylesheet as libxslt keeps it after its own compilation (whitespace is stripped,
// xsl:text has become text, excluded namespaces are gone), for the compiler: what stands in a node,
// and whether the stylesheet as a whole is one of the compiled subset (README). Nodes are
// libxslt's; nothing is changed. Private to the compiler.
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

// Thrown for what the subset does not have: the construct, in words, and where it stands.
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
// The attribute of that name and no namespace. Refuses a node without.
std::string attribute(const xmlNode* node, const char* name);
// Refuses a node that has others; those of xml: libxslt has heeded already.
void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names);

// The one template that matches records. Refuses a stylesheet that has others, or has or imports
// what the subset does not know.
const xsltTemplate* record_template(const Stylesheet& stylesheet);
// The one that xsl:apply-imports applies within a template of `style`; nullptr: none.
const xsltTemplate* imported_record_template(const xsltStylesheet* style);
// The template of that name, and the xsl:variable or xsl:param of the stylesheet; nullptr: none.
const xsltTemplate* named_template(const xsltStylesheet* style, const std::string& name);
const xmlNode* global_variable(const xsltStylesheet* style, const std::string& name);
// The one element in the node. Refuses anything else.
const xmlNode* only_element(const xmlNode* parent);

}  // namespace oai::transform
