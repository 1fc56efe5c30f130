// SPDX-License-Identifier: MIT
// A compiled stylesheet, shared read-only by all threads, and its application in a sandbox: no
// writing, no network, no creation of directories; document() reads within the stylesheet's own
// directory only; bounded depth, time and memory. Messages of libxslt are collected, never printed.
// initialise() (document.h) comes first.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::transform {

struct Functions;

class Stylesheet {
  public:
    // Throws xml::Error, one "file:line: message" per line, for anything that does not compile.
    // xsl:import and xsl:include are read from the directory of `path` and below only. Thread-safe.
    static Stylesheet compile(const std::string& path);

    // The result tree; it shares no memory with the stylesheet but its dictionary of names, so free
    // it in the thread that made it. `source` may lose whitespace nodes (xsl:strip-space) and is
    // otherwise unchanged. Throws xml::Error with libxslt's own first message when the transform
    // fails, is stopped by xsl:message terminate, or exceeds `limit` (wall clock) or the bounds of
    // sandbox.cpp. Thread-safe: one transform context per call. `functions`: what it may call
    // besides; nullptr nothing.
    xml::DocumentHandle apply(xmlDoc* source, std::chrono::milliseconds limit,
                              const Functions* functions = nullptr) const;

    const xmlDoc* document() const {
        return sheet_->doc;
    }  // to read top-level elements of other namespaces
    const xsltStylesheet* handle() const { return sheet_.get(); }  // for the compiler of compiler.h
    const std::string& path() const { return path_; }
    // All that it was compiled from, as it is named there: path() first, then what it imports and
    // includes.
    std::vector<std::string> files() const;

  private:
    Stylesheet(xml::StylesheetHandle sheet, std::string path, std::string directory);
    xml::StylesheetHandle sheet_;
    std::string path_;
    std::string directory_;  // canonical
};

}  // namespace oai::transform
