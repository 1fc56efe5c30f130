// SPDX-License-Identifier: MIT
// Serialises a result tree as UTF-8 text without an XML declaration, several times as fast as the
// serialiser of libxml2 and with the same bytes for documents that both can write. An element is
// written with the namespace declarations that are attached to it (nsDef), not with those of its
// ancestors. Pure; thread-safe as long as nobody changes the tree.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// Appends the node and all of its descendants. Works without recursion, so that any depth is safe.
// Text is escaped and checked as in escape.h. Comments and processing instructions are kept, with a
// blank put into "--" and "?>" (XSLT 1.0, 7.3 and 7.4). CDATA becomes text. disable-output-escaping
// is ignored, since it could break the document around the record. Entity references do not occur
// (document.h refuses them).
void append_node(std::string& out, const xmlNode* node);

// The document for people: indented where that changes no text, with an XML declaration.
std::string indented(xmlDoc* document);

}  // namespace oai::xml
