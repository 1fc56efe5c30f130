// SPDX-License-Identifier: MIT
#include "browse/title.h"

#include <string_view>

namespace oai {
namespace {

const xmlChar* chars(const char* s) { return reinterpret_cast<const xmlChar*>(s); }

bool is_called(const xmlNode* n, const char* name) {
    return n->type == XML_ELEMENT_NODE && xmlStrEqual(n->name, chars(name)) != 0;
}

bool has(const xmlNode* element, const char* attribute, const char* value) {
    const xml::StringHandle found(xmlGetNoNsProp(element, chars(attribute)));
    return xmlStrEqual(found.get(), chars(value)) != 0;
}

// The next node in document order within `root`; nullptr after the last.
const xmlNode* after(const xmlNode* n, const xmlNode* root) {
    if (n->children != nullptr && n->type == XML_ELEMENT_NODE) return n->children;
    while (n != root && n->next == nullptr) n = n->parent;
    return n == root ? nullptr : n->next;
}

std::string collapsed_text(const xmlNode* element) {
    const xml::StringHandle content(xmlNodeGetContent(element));
    std::string text;
    bool blank = false;
    for (const char c :
         std::string_view(content ? reinterpret_cast<const char*>(content.get()) : "")) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_blank && blank && !text.empty()) text += ' ';
        if (!is_blank) text += c;
        blank = is_blank;
    }
    return text;
}

std::string marc_title(const xmlNode* metadata) {
    for (const xmlNode* field = metadata; field != nullptr; field = after(field, metadata)) {
        if (!is_called(field, "datafield") || !has(field, "tag", "245")) continue;
        for (const xmlNode* part = field->children; part != nullptr; part = part->next)
            if (part->type == XML_ELEMENT_NODE && has(part, "code", "a"))
                return collapsed_text(part);
    }
    return "";
}

}  // namespace

std::string title_of(const xmlNode* metadata) {
    std::string title;
    for (const xmlNode* n = metadata; n != nullptr && title.empty(); n = after(n, metadata))
        if (is_called(n, "title") && xmlChildElementCount(const_cast<xmlNode*>(n)) == 0)
            title = collapsed_text(n);
    return title.empty() ? marc_title(metadata) : title;
}

}  // namespace oai
