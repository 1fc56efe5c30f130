// SPDX-License-Identifier: MIT
// A result tree as UTF-8 text, without an XML declaration: our own serialiser, a fraction of the cost of libxml2's
// and byte for byte the same where both apply. Self-contained output: an element carries the namespace declarations
// that stand on it (nsDef). Pure; thread-safe as long as nobody changes the tree.
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// The node and everything below it; any depth, without recursion. Text is escaped and checked as in escape.h.
// Comments and processing instructions are kept, with a blank put into "--" and "?>" (XSLT 1.0, 7.3 and 7.4).
// CDATA becomes text. disable-output-escaping is not honoured: it could break the document around the record.
// Entity references do not occur (document.h refuses them).
void append_node(std::string& out, const xmlNode* node);

}  // namespace oai::xml
