// SPDX-License-Identifier: MIT
// Cuts any XML document short: what is left is well-formed, within the limits, and not cut again.
// The first two bytes are the limits.
#include <cstdint>
#include <string>

#include "base/text.h"
#include "require.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace {

constexpr std::size_t kEllipsisBytes = 3;

void check_limits(const xmlNode* element, const xml::ShortenLimits& limits) {
    std::size_t elements = 0;
    for (const xmlNode* node = element->children; node != nullptr; node = node->next) {
        if (node->type == XML_TEXT_NODE)
            require(xml::view(node->content).size() <= limits.text_bytes + kEllipsisBytes);
        if (node->type != XML_ELEMENT_NODE) continue;
        require(++elements <= limits.elements);
        check_limits(node, limits);
    }
}

void check_document(std::string_view bytes, const xml::ShortenLimits& limits) {
    const xml::DocumentHandle document = xml::parse_memory(bytes, "fuzz");
    xmlNode* const root = xmlDocGetRootElement(document.get());
    std::string before, after;
    xml::append_node(before, root);
    const std::size_t removed = xml::shorten(root, limits);
    xml::append_node(after, root);
    require((removed == 0) == (before == after));
    require(text::is_xml_text(after));
    check_limits(root, limits);
    xml::parse_memory(after, "shortened");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    xml::initialise();
    const xml::ShortenLimits limits{.elements = data[0], .text_bytes = data[1]};
    fuzz::try_reading<xml::Error>([&] {
        check_document({reinterpret_cast<const char*>(data) + 2, size - 2}, limits);
    });
    return 0;
}
