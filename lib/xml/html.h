// SPDX-License-Identifier: MIT
// A result tree as HTML.
#pragma once

#include <string>

#include "xml/stylesheet.h"

namespace oai::xml {

// As the stylesheet's xsl:output says: with method html, what HTML escapes is escaped. `result`: of that stylesheet. Throws
// std::bad_alloc. Thread-safe.
std::string html_text(const Stylesheet& stylesheet, xmlDoc* result);

}  // namespace oai::xml
