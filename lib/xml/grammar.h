// SPDX-License-Identifier: MIT
// A RELAX NG grammar, and whether documents are of it. initialise() (document.h) comes first.
#pragma once

#include <string>
#include <string_view>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

// Not thread-safe.
class Grammar {
  public:
    // In XML syntax, with nothing outside it. Throws Error "name:line: message" when it does not compile.
    Grammar(std::string_view text, const std::string& name);

    // "" or the first reason why it is not, "line N: ..."; the line is that of the document's text.
    std::string why_invalid(xmlDoc* document) const;

  private:
    RelaxNgHandle grammar_;
};

}  // namespace oai::xml
