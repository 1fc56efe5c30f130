// SPDX-License-Identifier: MIT
// An XML document for eyes, on a terminal: indented where an element has nothing but elements, in colours by ANSI
// sequences. What the terminal would obey, or what would turn the direction of text, is shown by its number.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

std::string terminal_text(const xmlDoc* document, bool coloured);

}  // namespace oai::xml
