// SPDX-License-Identifier: MIT
// XML for eyes: indented where an element has nothing but elements, in colours, and the same document still. In time that
// grows with its length alone. Pure.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// For a terminal, colours by ANSI sequences. What it would obey, or what would turn the direction of text, is shown by its
// number.
std::string terminal_text(const xmlDoc* document, bool coloured);

// An element as HTML, colours by <span class="...">: e names of elements, a of attributes, v values, c comments; text in
// <bdi>. It also says what was declared around the element and holds in it, but for a default namespace that nothing in
// it is in: so it is a document when it is copied.
std::string hypertext(const xmlNode* element);

}  // namespace oai::xml
