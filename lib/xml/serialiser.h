// SPDX-License-Identifier: MIT
// A result tree as UTF-8 text, without an XML declaration: our own serialiser, a fraction of the cost of libxml2's.
// Self-contained output: an element carries the namespace declarations that stand on it (nsDef).
#pragma once

#include <libxml/tree.h>

#include <string>

namespace oai::xml {

// The node and everything below it. Text is escaped and checked as in escape.h. Comments and processing
// instructions are kept; CDATA becomes text; entity references are expanded. Depth is bounded by the parser.
void append_node(std::string& out, const xmlNode* node);

}  // namespace oai::xml
