// SPDX-License-Identifier: MIT
// Stylesheets that harvested oai_dc goes through before it becomes an item, to make dates,
// languages and names uniform. Each is a file NAME.xsl of one directory, and turns an oai_dc
// document into another; they run one after the other, in the sandbox of all stylesheets
// (transform/stylesheet.h). Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "transform/stylesheet.h"
#include "xml/handle.h"

namespace oai::aggregate {

class Normaliser {
  public:
    // Without names, nothing is changed. Throws std::runtime_error, one line, if there is no such
    // file, and xml::Error for one that does not compile.
    Normaliser(const std::string& directory, const std::vector<std::string>& names);

    struct NormalisedRecord {
        xml::DocumentHandle document;
        bool altered = false;  // it says something else than before the stylesheets
    };
    // Throws xml::Error, one line, when a stylesheet fails on the record or makes something else of
    // it than oai_dc.
    NormalisedRecord normalise(xml::DocumentHandle oai_dc) const;

    // The stylesheets of a directory, by name. Throws std::runtime_error when it cannot be read.
    static std::vector<std::string> names_in(const std::string& directory);

  private:
    std::vector<transform::Stylesheet> stylesheets_;
};

}  // namespace oai::aggregate
