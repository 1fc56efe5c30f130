// SPDX-License-Identifier: MIT
#include "xml/html.h"

#include <libxslt/xsltutils.h>

#include <new>

namespace oai::xml {

std::string html_text(const Stylesheet& stylesheet, xmlDoc* result) {
    xmlChar* text = nullptr;
    int bytes = 0;
    // libxslt's parameter is not const; it only reads from the stylesheet.
    auto* sheet = const_cast<xsltStylesheet*>(stylesheet.handle());
    if (xsltSaveResultToString(&text, &bytes, result, sheet) != 0) throw std::bad_alloc();
    const StringHandle owner(text);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

}  // namespace oai::xml
