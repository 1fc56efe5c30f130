// SPDX-License-Identifier: MIT
#include "xml/terminal.h"

#include "base/text.h"
#include "xml/escape.h"

namespace oai::xml {
namespace {

constexpr const char* kName = "\x1b[36m";
constexpr const char* kAttribute = "\x1b[33m";
constexpr const char* kValue = "\x1b[32m";
constexpr const char* kComment = "\x1b[2m";
constexpr const char* kEnd = "\x1b[0m";

std::string_view view(const xmlChar* s) { return s == nullptr ? std::string_view() : reinterpret_cast<const char*>(s); }

class Painter {
  public:
    explicit Painter(bool coloured) : coloured_(coloured) {}

    void node(const xmlNode* n, int depth) {
        if (n->type == XML_ELEMENT_NODE) element(n, depth);
        else if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) characters(view(n->content));
        else if (n->type == XML_COMMENT_NODE) put(kComment, "<!--" + std::string(view(n->content)) + "-->");
        else if (n->type == XML_PI_NODE) put(kComment, "<?" + std::string(view(n->name)) + " " + std::string(view(n->content)) + "?>");
    }
    void line(int depth) { out_ += "\n" + std::string(static_cast<std::size_t>(depth) * 2, ' '); }
    std::string take() { return std::move(out_); }

  private:
    void put(const char* colour, std::string_view what) {
        if (coloured_) out_ += colour;
        out_ += text::shown(what);
        if (coloured_) out_ += kEnd;
    }

    void characters(std::string_view content) {
        std::string escaped;
        append_text(escaped, content);
        out_ += text::shown(escaped);
    }

    void name(const xmlNode* n) {
        const std::string prefix = n->ns != nullptr && n->ns->prefix != nullptr ? std::string(view(n->ns->prefix)) + ":" : "";
        put(kName, prefix + std::string(view(n->name)));
    }

    void attribute(const std::string& key, std::string_view value) {
        out_ += ' ';
        put(kAttribute, key);
        std::string escaped;
        append_attribute(escaped, value);
        out_ += '=';
        put(kValue, "\"" + escaped + "\"");
    }

    void attributes(const xmlNode* n) {
        for (const xmlNs* ns = n->nsDef; ns != nullptr; ns = ns->next)
            attribute(ns->prefix == nullptr ? "xmlns" : "xmlns:" + std::string(view(ns->prefix)), view(ns->href));
        for (const xmlAttr* a = n->properties; a != nullptr; a = a->next) {
            std::string value;
            for (const xmlNode* part = a->children; part != nullptr; part = part->next) value += view(part->content);
            const std::string prefix = a->ns != nullptr && a->ns->prefix != nullptr ? std::string(view(a->ns->prefix)) + ":" : "";
            attribute(prefix + std::string(view(a->name)), value);
        }
    }

    static bool is_blank(const xmlNode* n) { return n->type == XML_TEXT_NODE && text::trim(view(n->content)).empty(); }

    // Elements and comments alone: blanks between them mean nothing.
    static bool is_structure(const xmlNode* n) {
        bool elements = false;
        for (const xmlNode* child = n->children; child != nullptr; child = child->next) {
            if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) && !is_blank(child)) return false;
            elements = elements || child->type == XML_ELEMENT_NODE;
        }
        return elements;
    }

    void element(const xmlNode* n, int depth) {
        out_ += '<';
        name(n);
        attributes(n);
        if (n->children == nullptr) {
            out_ += "/>";
            return;
        }
        out_ += '>';
        const bool structure = is_structure(n);
        for (const xmlNode* child = n->children; child != nullptr; child = child->next) {
            if (structure && is_blank(child)) continue;
            if (structure) line(depth + 1);
            node(child, depth + 1);
        }
        if (structure) line(depth);
        out_ += "</";
        name(n);
        out_ += '>';
    }

    const bool coloured_;
    std::string out_;
};

}  // namespace

std::string terminal_text(const xmlDoc* document, bool coloured) {
    Painter painter(coloured);
    bool first = true;
    for (const xmlNode* n = document->children; n != nullptr; n = n->next) {
        if (!first) painter.line(0);
        first = false;
        painter.node(n, 0);
    }
    return painter.take() + "\n";
}

}  // namespace oai::xml
