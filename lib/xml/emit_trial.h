// SPDX-License-Identifier: MIT
// The trial of a compiled stylesheet when it is loaded: records are made up from the literals it compares with and from
// values that tempt to mistakes, and what it writes of them must be, byte for byte, what libxslt makes and libxml2
// writes. A net under the compiler, not its proof (that is t/lib/emission.h). Thread-safe.
#pragma once

#include <string>

#include "xml/emit.h"
#include "xml/stylesheet.h"

namespace oai::xml {

// "" or why the emission is not to be trusted: a record that came out otherwise, or "file:line: what" was not
// exercised by any record, each condition both ways. Throws Error if libxslt fails.
std::string try_emission(const Emission& emission, const Stylesheet& stylesheet);

// The element as libxml2 writes it, in UTF-8 and without indenting. The document is changed: it is of that encoding.
std::string written_by_libxml2(xmlDoc* document, xmlNode* element);

}  // namespace oai::xml
