// SPDX-License-Identifier: MIT
#include "xml/html.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "xml/escape.h"
#include "xml/handle.h"

namespace oai::xml {
namespace {

// The void elements of HTML, which have neither content nor an end tag.
constexpr std::array<std::string_view, 13> kVoid{"area",   "base",  "br",    "col",  "embed",
                                                 "hr",     "img",   "input", "link", "meta",
                                                 "source", "track", "wbr"};

void append_nodes(std::string& out, const xmlNode* first, bool escaped);

void append_element(std::string& out, const xmlNode* element) {
    const std::string_view name = view(element->name);
    out.append("<").append(name);
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        out += ' ';
        if (a->ns != nullptr && a->ns->prefix != nullptr)
            out.append(view(a->ns->prefix)).append(":");
        out.append(view(a->name)).append("=\"");
        for (const xmlNode* part = a->children; part != nullptr; part = part->next)
            append_attribute(out, view(part->content));
        out += '"';
    }
    out += '>';
    if (std::find(kVoid.begin(), kVoid.end(), name) != kVoid.end()) return;
    append_nodes(out, element->children, name != "script" && name != "style");
    out.append("</").append(name).append(">");
}

void append_nodes(std::string& out, const xmlNode* first, bool escaped) {
    for (const xmlNode* n = first; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE)
            append_element(out, n);
        else if (n->type != XML_TEXT_NODE)
            continue;
        else if (escaped)
            append_text(out, view(n->content));
        else
            out += view(n->content);
}

}  // namespace

std::string html_text(const xmlDoc* result) {
    std::string out = "<!DOCTYPE html>\n";
    append_nodes(out, result->children, true);
    out += '\n';
    return out;
}

}  // namespace oai::xml
