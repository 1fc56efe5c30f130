// SPDX-License-Identifier: MIT
// A compiled stylesheet, shared read-only by all threads, and its application in a sandbox: no writing, no network,
// no creation of directories; document() reads within the stylesheet's own directory only; bounded depth and time.
// Messages of libxslt are collected, never printed.
#pragma once

#include <chrono>
#include <string>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

class Stylesheet {
  public:
    // Throws Error "file:line: message" for anything that does not compile. xsl:import and xsl:include are read
    // from the same directory only.
    static Stylesheet compile(const std::string& path);

    // The result tree. Throws Error with libxslt's own message when the transform fails, is stopped by
    // xsl:message terminate, or exceeds `limit`. Thread-safe: one transform context per call.
    DocumentHandle apply(xmlDoc* source, std::chrono::milliseconds limit) const;

    const xmlDoc* document() const { return sheet_->doc; }  // to read top-level elements of other namespaces
    const std::string& path() const { return path_; }

  private:
    Stylesheet(StylesheetHandle sheet, std::string path);
    StylesheetHandle sheet_;
    std::string path_;
};

}  // namespace oai::xml
