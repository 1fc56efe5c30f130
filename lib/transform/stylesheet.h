// SPDX-License-Identifier: MIT
// A stylesheet compiled by libxslt, shared read-only by all threads and applied in a sandbox: no
// writing, no network, no creation of directories; document() reads within a directory only;
// bounded depth, time and memory. Messages of libxslt are collected, never printed. Call
// initialise() (document.h) first.
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
// 1.1. `called`: the name for messages and for the resolution of relative addresses.
xml::DocumentHandle parse_stylesheet(const std::string& file, const std::string& called,
                                     xmlDict* dictionary = nullptr);

// The name and the value of a parameter (XSLT 1.0, 11.4); neither is an expression.
using Parameter = std::pair<std::string, std::string>;

class Stylesheet {
  public:
    // Throws xml::Error, one "file:line: message" per line, for anything that does not compile.
    // xsl:import and xsl:include may read files in `directory` and below; "": that of `path`. A
    // network address is mapped by the catalog, or to the file of the same name in the directory of
    // `path`. Thread-safe.
    static Stylesheet compile(const std::string& path, const std::string& directory = "",
                              std::shared_ptr<const Catalog> catalog = nullptr);

    // Returns the result tree. It shares the stylesheet's dictionary of names, so the thread that
    // made it must free it. Removes whitespace nodes from `source` as xsl:strip-space says. Throws
    // xml::Error with the first message of libxslt if the transform fails or exceeds `limit` (wall
    // clock) or the bounds of sandbox.cpp. Thread-safe. `prepare`: registers XPath functions of the
    // program, which may use userData.
    using Preparation = std::function<void(xmlXPathContext*)>;
    xml::DocumentHandle apply(xmlDoc* source, std::chrono::milliseconds limit,
                              std::span<const Parameter> parameters = {},
                              const Preparation& prepare = {}) const;

    const xmlDoc* document() const {
        return sheet_->doc;
    }  // to read top-level elements of other namespaces
    const xsltStylesheet* handle() const { return sheet_.get(); }  // for the compiler of compiler.h
    const std::string& path() const { return path_; }
    // The files that it was compiled from: path(), its imports and includes, and the catalog if an
    // address was looked up in it.
    std::vector<std::string> files() const;

  private:
    Stylesheet(xml::StylesheetHandle sheet, std::string path, Reach reach);
    xml::StylesheetHandle sheet_;
    std::string path_;
    Reach reach_;
    bool is_by_catalog_ = false;  // its imports depend on the catalog
};

}  // namespace oai::transform
