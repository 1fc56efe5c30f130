// SPDX-License-Identifier: MIT
// Prints XML for people: in colours, and indented where an element holds only elements. It is still
// the same document. The time is linear in the length of the document. Pure.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// The source of an element as HTML. Colours are given by <span class="...">: e for names of
// elements, a for names of attributes, v for values, c for comments; text is in <bdi>. The
// namespace declarations that the element inherits are added, except for a default namespace that
// it does not use, so that the text is a document of its own when it is copied.
std::string hypertext(const xmlNode* element);

}  // namespace oai::xml
