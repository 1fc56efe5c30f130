// SPDX-License-Identifier: MIT
// Validates documents against a RELAX NG grammar. initialise() (document.h) must be called before.
#pragma once

#include <string>
#include <string_view>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

// Not thread-safe.
class Grammar {
  public:
    // `text` is the grammar in XML syntax and must not include other files. Throws Error
    // "name:line: message" when it does not compile.
    Grammar(std::string_view text, const std::string& name);

    // Returns "" if the document is valid, else the first reason why it is not, as "line N: ...",
    // with the line in the text of the document.
    std::string why_invalid(xmlDoc* document) const;

  private:
    RelaxNgHandle grammar_;
};

}  // namespace oai::xml
