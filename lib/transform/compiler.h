// SPDX-License-Identifier: MIT
// Compiles a stylesheet of the compiled subset (README) into a program. Everything else is refused,
// and so is what is legal but better left to libxslt, which then runs the stylesheet. Within xsl:if
// and the branches of xsl:choose what is refused becomes a Fallback: it costs only the records that
// come to it, which are left to libxslt.
#pragma once

#include <optional>
#include <string>

#include "transform/program.h"
#include "transform/stylesheet.h"

namespace oai::transform {

struct Compilation {
    std::optional<Program> program;
    std::string why_not;  // "file:line: construct"; "" it was compiled
};

// `root_namespace`: of the element that the stylesheet makes of a record, or it is refused.
// Thread-safe.
Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace);

}  // namespace oai::transform
