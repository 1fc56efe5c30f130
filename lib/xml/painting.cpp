// SPDX-License-Identifier: MIT
#include "xml/painting.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "xml/escape.h"
#include "xml/handle.h"

namespace oai::xml {
namespace {

constexpr std::string_view kElement = R"(<span class="e">)", kAttribute = R"(<span class="a">)",
                           kValue = R"(<span class="v">)", kComment = R"(<span class="c">)";

bool uses(const xmlNode* element, const xmlNs* ns) {
    if (element->ns == ns) return true;
    for (const xmlNode* n = element->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE && uses(n, ns)) return true;
    return false;
}

// The namespace declarations that the element inherits from those around it.
std::vector<const xmlNs*> inherited_declarations(const xmlNode* element) {
    std::vector<const xmlNs*> found;
    std::vector<std::string_view> prefixes;
    for (const xmlNode* n = element; n != nullptr && n->type == XML_ELEMENT_NODE; n = n->parent)
        for (const xmlNs* ns = n->nsDef; ns != nullptr; ns = ns->next) {
            if (std::find(prefixes.begin(), prefixes.end(), view(ns->prefix)) != prefixes.end())
                continue;
            prefixes.push_back(view(ns->prefix));
            if (n != element && (ns->prefix != nullptr || uses(element, ns))) found.push_back(ns);
        }
    return found;
}

class Painter {
  public:
    void node(const xmlNode* n, int depth) {
        if (n->type == XML_ELEMENT_NODE)
            element(n, {}, depth);
        else if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
            characters(view(n->content));
        else if (n->type == XML_COMMENT_NODE)
            put(kComment, "<!--" + std::string(view(n->content)) + "-->");
        else if (n->type == XML_PI_NODE)
            put(kComment,
                "<?" + std::string(view(n->name)) + " " + std::string(view(n->content)) + "?>");
    }
    // `inherited`: declarations that are added to those of the element.
    void element(const xmlNode* n, const std::vector<const xmlNs*>& inherited, int depth);
    void line(int depth) { out_ += "\n" + std::string(static_cast<std::size_t>(depth) * 2, ' '); }
    std::string take() { return std::move(out_); }

  private:
    void put(std::string_view colour, std::string_view xml) {
        out_ += colour;
        append_text(out_, xml);
        out_ += "</span>";
    }
    void mark(std::string_view markup) { append_text(out_, markup); }

    void characters(std::string_view content) {
        std::string escaped;
        append_text(escaped, content);
        out_ += "<bdi>";
        append_text(out_, escaped);
        out_ += "</bdi>";
    }

    void name(const xmlNode* n) {
        const std::string prefix = n->ns != nullptr && n->ns->prefix != nullptr
                                       ? std::string(view(n->ns->prefix)) + ":"
                                       : "";
        put(kElement, prefix + std::string(view(n->name)));
    }

    void attribute(const std::string& key, std::string_view value) {
        out_ += ' ';
        put(kAttribute, key);
        std::string escaped = "\"";
        append_attribute(escaped, value);
        out_ += '=';
        put(kValue, escaped += '"');
    }

    void declaration(const xmlNs* ns) {
        attribute(ns->prefix == nullptr ? "xmlns" : "xmlns:" + std::string(view(ns->prefix)),
                  view(ns->href));
    }

    void attributes(const xmlNode* n) {
        for (const xmlNs* ns = n->nsDef; ns != nullptr; ns = ns->next) declaration(ns);
        for (const xmlAttr* a = n->properties; a != nullptr; a = a->next) {
            std::string value;
            for (const xmlNode* part = a->children; part != nullptr; part = part->next)
                value += view(part->content);
            const std::string prefix = a->ns != nullptr && a->ns->prefix != nullptr
                                           ? std::string(view(a->ns->prefix)) + ":"
                                           : "";
            attribute(prefix + std::string(view(a->name)), value);
        }
    }

    static bool is_blank(const xmlNode* n) {
        return n->type == XML_TEXT_NODE && text::trim(view(n->content)).empty();
    }

    // Whether the element holds only elements and comments, so that white space between them can
    // change.
    static bool has_only_elements(const xmlNode* n) {
        bool elements = false;
        for (const xmlNode* child = n->children; child != nullptr; child = child->next) {
            if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) &&
                !is_blank(child))
                return false;
            elements = elements || child->type == XML_ELEMENT_NODE;
        }
        return elements;
    }

    std::string out_;
};

void Painter::element(const xmlNode* n, const std::vector<const xmlNs*>& inherited, int depth) {
    mark("<");
    name(n);
    for (const xmlNs* ns : inherited) declaration(ns);
    attributes(n);
    if (n->children == nullptr) {
        mark("/>");
        return;
    }
    mark(">");
    const bool indent = has_only_elements(n);
    for (const xmlNode* child = n->children; child != nullptr; child = child->next) {
        if (indent && is_blank(child)) continue;
        if (indent) line(depth + 1);
        node(child, depth + 1);
    }
    if (indent) line(depth);
    mark("</");
    name(n);
    mark(">");
}

}  // namespace

std::string hypertext(const xmlNode* element) {
    Painter painter;
    painter.element(element, inherited_declarations(element), 0);
    return painter.take();
}

}  // namespace oai::xml
