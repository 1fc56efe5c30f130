// SPDX-License-Identifier: MIT
// Builds a source tree node by node as the parser of libxml2 does: names are interned in the
// dictionary of the document, short texts are stored inside their node, and nothing is searched or
// checked again. This takes a third of the time of xmlNewProp and xmlNewText.
#pragma once

#include <libxml/tree.h>

#include <string_view>

#include "xml/handle.h"

namespace oai::xml {

// Creates an empty document with a dictionary of its own. Like all functions here, throws
// std::bad_alloc.
DocumentHandle new_document();
// Returns the name as the dictionary of the document stores it. The functions below REQUIRE names
// from here.
const xmlChar* intern(xmlDoc* document, std::string_view name);

// Append a node as the last child of `parent`, an element or the document. Values REQUIRE XML text
// (base/text.h), except for markers that are never written to an output.
xmlNode* add_element(xmlNode* parent, const xmlChar* name);
xmlNode* add_text(xmlNode* parent, std::string_view value);
// `last` is the attribute that was added before to this element, nullptr for the first. REQUIRES:
// the element has no attribute of that name yet.
xmlAttr* add_attribute(xmlNode* element, xmlAttr* last, const xmlChar* name,
                       std::string_view value);

// Appends an element with the parsed `content`: any well-formed content of an element (one or more
// elements, or text), with or without an XML declaration, but without a DOCTYPE. Throws Error
// "name:line: message" and then appends nothing.
void add_parsed(xmlNode* parent, const xmlChar* name, std::string_view content);

// Copies the element into a document of its own. The copy declares all prefixes that are declared
// around the element, so that prefixed names in its values keep their meaning.
DocumentHandle document_of(const xmlNode* element);

}  // namespace oai::xml
