// SPDX-License-Identifier: MIT
// Reading a stylesheet as libxslt keeps it, for its compiler: what stands in a node, and whether the stylesheet as a whole is
// one of the plain subset (emit_compiler.h). Nodes are libxslt's; nothing is changed. Private to the compiler.
#pragma once

#include <libxml/tree.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "xml/stylesheet.h"

namespace oai::xml {

// Thrown where something is not in the subset.
struct Refusal {
    long line;
    std::string what;
};
[[noreturn]] void refuse(const xmlNode* node, std::string what);

std::string_view view(const xmlChar* s);  // "" for nullptr
bool is_xslt(const xmlNode* node);
std::string qualified(const xmlNs* ns, const xmlChar* name);  // with the prefix

// Of that name and no namespace. Refuses a node without.
std::string attribute(const xmlNode* node, const char* name);
// Refuses a node that has others; those of xml: libxslt has heeded already.
void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names);

// Its one template, for a record. Refuses another stylesheet, and what it imports but for templates with a name alone.
const xmlNode* record_template(const Stylesheet& stylesheet);
// The one element in the node. Refuses anything else.
const xmlNode* only_element(const xmlNode* parent);

}  // namespace oai::xml
