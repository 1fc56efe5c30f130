// SPDX-License-Identifier: MIT
// Compiles a stylesheet of the compiled subset (README) into a program. A stylesheet with other
// constructs is not compiled, and libxslt runs it. Within xsl:if and the branches of xsl:choose an
// unsupported construct becomes a Fallback: only the records that reach it are left to libxslt.
#pragma once

#include <optional>
#include <string>

#include "transform/program.h"
#include "transform/stylesheet.h"

namespace oai::transform {

struct Compilation {
    std::optional<Program> program;
    std::string why_not;  // "file:line: construct"; "": it was compiled
};

// `root_namespace`: the namespace that the element of a record must have. Thread-safe.
Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace);

}  // namespace oai::transform
