// SPDX-License-Identifier: MIT
// Cuts a document short, so that people can be shown something of a very long one.
#pragma once

#include <libxml/tree.h>

#include <cstddef>

namespace oai::xml {

struct ShortenLimits {
    std::size_t elements;    // of each name that are kept of one element's children, the first ones
    std::size_t text_bytes;  // that are kept of one text
};

// Removes all child elements of the element, and of those below it, beyond the limit, and the ends
// of longer texts, which then end in an ellipsis. Attributes stay as they are. Returns how many
// elements and ends of texts were removed. Throws std::bad_alloc.
std::size_t shorten(xmlNode* element, const ShortenLimits& limits);

}  // namespace oai::xml
