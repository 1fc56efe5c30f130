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

// Appends the node and all of its descendants. Works without recursion, so that any depth is safe.
// Text is escaped and checked as in escape.h. Comments and processing instructions are kept, with a
// blank put into "--" and "?>" (XSLT 1.0, 7.3 and 7.4). CDATA becomes text. disable-output-escaping
// is ignored, since it could break the document around the record. Entity references do not occur
// (document.h refuses them).
void append_node(std::string& out, const xmlNode* node);

// A result tree as HTML, without comments and prefixes of elements. Text of script and style, where
// HTML has no escapes, must not contain "</". URLs are not percent-encoded.
std::string html_text(const xmlDoc* result);

// An element for people, as a document of its own without a declaration: indented where it has only
// elements, with the prefixes that are declared around it. Linear in its length.
std::string indented(const xmlNode* element);

// Cuts a document short, so that people can be shown something of a very long one.

struct ShortenLimits {
    std::size_t elements;    // of each name that are kept of one element's children, the first ones
    std::size_t text_bytes;  // that are kept of one text
};

// Removes all child elements of the element, and of those below it, beyond the limit, and the ends
// of longer texts, which then end in an ellipsis. Attributes stay as they are. Returns how many
// elements and ends of texts were removed. Throws std::bad_alloc.
std::size_t shorten(xmlNode* element, const ShortenLimits& limits);

}  // namespace oai::xml
