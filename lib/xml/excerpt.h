// SPDX-License-Identifier: MIT
// Serialises an element so that the text means the same outside of its document. Pure.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// Adds the namespace declarations of ancestors that names in the element use, those whose prefix
// occurs in a value (xsi:type="dcterms:W3CDTF"), and xmlns="" if an element has no namespace.
// Throws std::bad_alloc.
std::string excerpt(const xmlNode* element);

}  // namespace oai::xml
