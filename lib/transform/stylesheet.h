// SPDX-License-Identifier: MIT
// A compiled stylesheet, shared read-only by all threads, and its application in a sandbox: no
// writing, no network, no creation of directories; document() reads within a directory
// only; bounded depth, time and memory. Messages of libxslt are collected, never printed.
// initialise() (document.h) comes first.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transform/sandbox.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai::transform {

// Parses a stylesheet: as xml::parse_memory(), but with entities of text that the file itself
// declares. Throws xml::Error "name:line: message", also for a version of XSLT other than 1.0 and
// 1.1. `called`: what messages and relative addresses in it go by.
xml::DocumentHandle parse_stylesheet(const std::string& file, const std::string& called,
                                     xmlDict* dictionary = nullptr);

// The name and the value of a parameter (XSLT 1.0, 11.4); neither is an expression.
using Parameter = std::pair<std::string, std::string>;

class Stylesheet {
  public:
    // Throws xml::Error, one "file:line: message" per line, for anything that does not compile.
    // xsl:import and xsl:include are read from `directory` and below only; "" is that of `path`. An
    // address of the network is one of the catalog, or the file of its name beside `path`.
    // Thread-safe.
    static Stylesheet compile(const std::string& path, const std::string& directory = "",
                              std::shared_ptr<const Catalog> catalog = nullptr);

    // The result tree; it shares the stylesheet's dictionary of names, so free it in the thread
    // that made it. `source` may lose whitespace nodes (xsl:strip-space). Throws xml::Error with
    // libxslt's own first message when the transform fails, or exceeds `limit` (wall clock) or the
    // bounds of sandbox.cpp. Thread-safe: one transform context per call. `prepare`: registers
    // functions of the program beside those of XPath and EXSLT; userData is theirs.
    using Preparation = std::function<void(xmlXPathContext*)>;
    xml::DocumentHandle apply(xmlDoc* source, std::chrono::milliseconds limit,
                              std::span<const Parameter> parameters = {},
                              const Preparation& prepare = {}) const;

    const xmlDoc* document() const {
        return sheet_->doc;
    }  // to read top-level elements of other namespaces
    const xsltStylesheet* handle() const { return sheet_.get(); }  // for the compiler of compiler.h
    const std::string& path() const { return path_; }
    // All that it was compiled from, as it is named there: path() first, then what it imports and
    // includes, and the catalog if there was something to look up in it.
    std::vector<std::string> files() const;

  private:
    Stylesheet(xml::StylesheetHandle sheet, std::string path, Reach reach);
    xml::StylesheetHandle sheet_;
    std::string path_;
    Reach reach_;
    bool is_by_catalog_ = false;  // what it imports depends on the catalog
};

}  // namespace oai::transform
