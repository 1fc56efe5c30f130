// SPDX-License-Identifier: MIT
// Building a source tree node by node, as libxml2's own parser does: names interned in the document's dictionary,
// short texts kept inside their node, nothing searched and nothing checked twice. A third of what xmlNewProp and
// xmlNewText cost.
#pragma once

#include <libxml/tree.h>

#include <string_view>

#include "xml/handle.h"

namespace oai::xml {

// An empty document with a dictionary of its own. Throws std::bad_alloc, as all of these.
DocumentHandle new_document();
// The name as the document's dictionary has it; the functions below REQUIRE names from here.
const xmlChar* intern(xmlDoc* document, std::string_view name);

// Appended as the last child of `parent`, an element or the document. Values REQUIRE XML text (base/text.h), but for
// markers that never reach an output.
xmlNode* add_element(xmlNode* parent, const xmlChar* name);
xmlNode* add_text(xmlNode* parent, std::string_view value);
// `last` is the element's attribute added before, nullptr at first; REQUIRES: the name is not there yet.
xmlAttr* add_attribute(xmlNode* element, xmlAttr* last, const xmlChar* name, std::string_view value);

// An element that holds what `content` says: well-formed content of an element (several elements, or text), perhaps behind an
// XML declaration; it cannot have a DOCTYPE. Throws Error "name:line: message", with nothing appended.
void add_parsed(xmlNode* parent, const xmlChar* name, std::string_view content);

// A copy of the element as a document of its own. Declares all namespaces that were declared around it, so that names in
// its values mean what they meant.
DocumentHandle document_of(const xmlNode* element);

}  // namespace oai::xml
