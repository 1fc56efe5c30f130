// SPDX-License-Identifier: MIT
// A formats directory for a test, and what its files consist of.
#pragma once

#include "format/format.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "t/lib/temporary_directory.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"

namespace oai::test {

inline constexpr std::string_view kPrefix = "oai:example.org:";
inline const std::string kGood = "prefix='oai_dc' schema='http://x/s.xsd' namespace='urn:n'";

// A Format needs a compiled stylesheet; any will do.
inline Format some_format() {
    return {{.prefix = "p"},
            compile_text("<xsl:stylesheet version='1.0' "
                         "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'/>"),
            {},
            {}};
}

struct Directory : TemporaryDirectory {
    void format(const std::string& file, const std::string& attributes,
                const std::string& body) const {
        write(file,
              "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
              "xmlns:f='urn:oai-fcgi:format' exclude-result-prefixes='f'>\n<f:format " +
                  attributes + "/>\n" + body + "\n</xsl:stylesheet>");
    }
    FormatRegistry read() const { return read_formats(path); }
    std::string wrong() const {
        try {
            read();
        } catch (const Fault& e) {
            return e.what();
        }
        return "";
    }
};

inline std::string match(const std::string& content) {
    return "<xsl:template match='record'>" + content + "</xsl:template>";
}

inline const std::string kTitle = "<n:o xmlns:n='urn:n'><xsl:value-of select='@title'/></n:o>";

}  // namespace oai::test
