// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "format/format.h"

namespace oai::test {

// A Format needs a compiled stylesheet; any will do.
inline Format some_format() {
    const auto path = std::filesystem::temp_directory_path() /
                      ("oai-writer-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path)
        << R"(<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>)";
    Format format{{.prefix = "p"}, transform::Stylesheet::compile(path.string())};
    std::filesystem::remove(path);
    return format;
}

}  // namespace oai::test
