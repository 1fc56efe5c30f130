// SPDX-License-Identifier: MIT
// Stylesheets for tests, made of texts.
#pragma once

#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "transform/stylesheet.h"

namespace oai::test {

inline const std::string kHead =
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n";

// beside: the directory with the files that it imports. may_read: as for Stylesheet::compile.
inline transform::Stylesheet compile_text(const std::string& text,
                                          const TemporaryDirectory& beside = {},
                                          const std::string& may_read = "") {
    return transform::Stylesheet::compile(beside.write("s.xsl", text), may_read);
}

// One that writes this content into the element of a record.
inline transform::Stylesheet around(const std::string& content) {
    return compile_text(kHead + "<xsl:template match='record'>\n<n:o xmlns:n='urn:n'>\n" + content +
                        "\n</n:o></xsl:template></xsl:stylesheet>");
}

// One that describes itself by <f:DESCRIPTION/> in its second line, with a template for a record.
inline std::string described(const std::string& description, const std::string& body) {
    return "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
           "xmlns:f='urn:oai-fcgi:format' exclude-result-prefixes='f'>\n<f:" +
           description + "/>\n<xsl:template match='record'>" + body +
           "</xsl:template></xsl:stylesheet>";
}

}  // namespace oai::test
