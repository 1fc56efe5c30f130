// SPDX-License-Identifier: MIT
#pragma once

#include "format/format.h"
#include "t/unit/transform/stylesheet_text.h"

namespace oai::test {

// A Format needs a compiled stylesheet; any will do.
inline Format some_format() {
    return {{.prefix = "p"},
            compile_text("<xsl:stylesheet version='1.0' "
                         "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'/>"),
            {},
            {}};
}

}  // namespace oai::test
