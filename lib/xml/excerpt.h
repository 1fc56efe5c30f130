// SPDX-License-Identifier: MIT
// An element taken out of its document, as text that means the same anywhere. Pure.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// With every namespace declaration it needs: those of its ancestors that names in it use, those whose prefix stands in a
// value (xsi:type="dcterms:W3CDTF"), and xmlns="" where an element has no namespace. Throws std::bad_alloc.
std::string excerpt(const xmlNode* element);

}  // namespace oai::xml
