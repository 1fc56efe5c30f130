// SPDX-License-Identifier: MIT
// A formats directory for a test, and what its files consist of.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "format/format.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "xml/document.h"

namespace oai::test {

inline constexpr std::string_view kPrefix = "oai:example.org:";
inline const std::string kGood = "prefix='oai_dc' schema='http://x/s.xsd' namespace='urn:n'";

class Directory {
  public:
    Directory() {
        std::string pattern = std::filesystem::temp_directory_path() / "oai-format-XXXXXX";
        path_ = mkdtemp(pattern.data());
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    void format(const std::string& file, const std::string& attributes, const std::string& body) {
        write(file,
              "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
              "xmlns:f='urn:oai-fcgi:format' exclude-result-prefixes='f'>\n<f:format " +
                  attributes + "/>\n" + body + "\n</xsl:stylesheet>");
    }
    void write(const std::string& file, const std::string& text) {
        std::ofstream(path_ / file) << text;
    }
    FormatRegistry read() const { return read_formats(path_); }
    std::string wrong() const {
        try {
            read();
        } catch (const Fault& e) {
            return e.what();
        }
        return "";
    }
    std::string at(const std::string& file) const { return (path_ / file).string(); }

  private:
    std::filesystem::path path_;
};

inline std::string match(const std::string& content) {
    return "<xsl:template match='record'>" + content + "</xsl:template>";
}

inline const std::string kTitle = "<n:o xmlns:n='urn:n'><xsl:value-of select='@title'/></n:o>";

}  // namespace oai::test
