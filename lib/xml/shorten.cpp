// SPDX-License-Identifier: MIT
#include "xml/shorten.h"

#include <map>
#include <new>
#include <string>

#include "base/text.h"
#include "xml/handle.h"
#include "xml/view.h"

namespace oai::xml {

// The parser bounds the depth of the recursion.
std::size_t shorten(xmlNode* element, const ShortenLimits& limits) {
    std::size_t removed = 0;
    std::map<std::string_view, std::size_t> elements;  // by name
    for (xmlNode *node = element->children, *next = nullptr; node != nullptr; node = next) {
        next = node->next;
        if (node->type == XML_ELEMENT_NODE && ++elements[view(node->name)] > limits.elements) {
            const NodeHandle owner(node);  // unlinks it
            ++removed;
        } else if (node->type == XML_ELEMENT_NODE) {
            removed += shorten(node, limits);
        } else if (node->type == XML_TEXT_NODE && view(node->content).size() > limits.text_bytes) {
            const std::string_view begin =
                text::utf8_prefix(view(node->content), limits.text_bytes);
            xmlNode* const cut =
                xmlNewDocText(node->doc, xml_chars((std::string(begin) + "\u2026").c_str()));
            if (cut == nullptr) throw std::bad_alloc();
            const NodeHandle owner(xmlReplaceNode(node, cut));
            ++removed;
        }
    }
    return removed;
}

}  // namespace oai::xml
