// SPDX-License-Identifier: MIT
#include "browse/dublin_core.h"

#include <libxml/tree.h>

#include "base/text.h"
#include "xml/view.h"

namespace oai {
namespace {

// Also what other programs take for the end of a line.
bool is_blank(char32_t c) {
    return c == ' ' || c == '\n' || c == '\t' || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
           text::is_unsafe_for_terminal(c);
}

const xmlNode* find_below(const xmlNode* from, std::string_view name) {
    for (const xmlNode* n = from; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        if (name == xml::view(n->name)) return n;
        if (const xmlNode* below = find_below(n->children, name)) return below;
    }
    return nullptr;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t max_bytes) {
    std::string line;
    bool blank = false;
    while (!text.empty()) {
        const text::Character c = text::first_character(text);
        if (is_blank(c.value)) {
            blank = !line.empty();
        } else {
            const std::size_t bytes = c.length + (blank ? 1 : 0);
            if (line.size() + bytes > max_bytes) return line + "\u2026";
            if (blank) line += ' ';
            line += text.substr(0, c.length);
            blank = false;
        }
        text.remove_prefix(c.length);
    }
    return line;
}

bool is_web_address(std::string_view text) {
    return (text.starts_with("http://") || text.starts_with("https://")) &&
           text.find(' ') == std::string_view::npos;
}

DublinCore::DublinCore(const xmlNode* dc) {
    for (const xmlNode* n = dc->children; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        Values& values = values_[std::string(xml::view(n->name))];
        if (values.kept.size() == kMaxValues) {
            values.more = true;
            continue;
        }
        const xml::StringHandle content(xmlNodeGetContent(n));
        std::string line = one_line(xml::view(content.get()), kMaxValueBytes);
        if (!line.empty()) values.kept.push_back(std::move(line));
    }
}

const std::vector<std::string>& DublinCore::all(std::string_view element) const {
    static const std::vector<std::string> kNone;
    const auto found = values_.find(element);
    return found == values_.end() ? kNone : found->second.kept;
}

std::string DublinCore::first(std::string_view element) const {
    const auto& values = all(element);
    return values.empty() ? "" : values.front();
}

bool DublinCore::has_more(std::string_view element) const {
    const auto found = values_.find(element);
    return found != values_.end() && found->second.more;
}

const xmlNode* find_element(const xmlDoc* document, std::string_view name) {
    return find_below(xmlDocGetRootElement(document), name);
}

}  // namespace oai
