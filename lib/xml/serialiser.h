// SPDX-License-Identifier: MIT
// Serialises a result tree as UTF-8 text without an XML declaration, several times as fast as the
// serialiser of libxml2 and with the same bytes for documents that both can write. An element is
// written with the namespace declarations that are attached to it (nsDef), not with those of its
// ancestors. Pure; thread-safe as long as nobody changes the tree.
#pragma once

#include <libxml/tree.h>

#include <cstddef>
#include <string>

namespace oai::xml {

// Appends the node and all of its descendants, of any depth. Text is escaped and checked as in
// escape.h. Comments and processing instructions are kept, with a blank put into "--" and "?>"
// (XSLT 1.0, 7.3 and 7.4). CDATA becomes text; disable-output-escaping is ignored.
void append_node(std::string& out, const xmlNode* node);

// A result tree as HTML, without comments and prefixes of elements. Text of script and style, where
// HTML has no escapes, must not contain "</". URLs are not percent-encoded.
std::string html_text(const xmlDoc* result);

// An element for people, as a document of its own without a declaration: indented where there is no
// text, not even white space, between elements, with the prefixes that are declared around it.
std::string indented(const xmlNode* element);

struct ShortenLimits {
    std::size_t elements;    // of each name that are kept of one element's children, the first ones
    std::size_t text_bytes;  // that are kept of one text
};

// Cuts a very long document short: removes child elements on each level beyond the limit, and the
// ends of longer texts, which then end in an ellipsis. Returns how many of both were removed.
std::size_t shorten(xmlNode* element, const ShortenLimits& limits);

}  // namespace oai::xml
