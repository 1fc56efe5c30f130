// SPDX-License-Identifier: MIT
#include "xml/serialiser.h"

#include <map>
#include <new>
#include <string_view>

#include "base/text.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"

namespace oai::xml {
namespace {

void append_name(std::string& out, const xmlNs* ns, const xmlChar* name) {
    if (ns != nullptr && ns->prefix != nullptr) {
        out += view(ns->prefix);
        out += ':';
    }
    out += view(name);
}

void append_namespaces(std::string& out, const xmlNs* ns) {
    for (; ns != nullptr; ns = ns->next) {
        out += ns->prefix == nullptr ? " xmlns" : " xmlns:";
        out += view(ns->prefix);
        out += "=\"";
        append_attribute(out, view(ns->href));
        out += '"';
    }
}

void append_attributes(std::string& out, const xmlAttr* attribute) {
    for (; attribute != nullptr; attribute = attribute->next) {
        out += ' ';
        append_name(out, attribute->ns, attribute->name);
        out += "=\"";
        for (const xmlNode* part = attribute->children; part != nullptr; part = part->next)
            append_attribute(out, view(part->content));
        out += '"';
    }
}

// Appends the content with a blank between `first` and a directly following `second`, which would
// end the construct early. In a comment, a blank also separates a final '-' from the "-->".
void append_apart(std::string& out, std::string_view content, char first, char second) {
    std::string safe;
    for (const char c : content) {
        if (c == second && !safe.empty() && safe.back() == first) safe += ' ';
        safe += c;
    }
    if (first == second && !safe.empty() && safe.back() == first) safe += ' ';
    out += text::to_xml_text(safe);
}

void append_instruction(std::string& out, const xmlNode* node) {
    out += "<?";
    out += view(node->name);
    if (node->content != nullptr) {
        out += ' ';
        append_apart(out, view(node->content), '?', '>');
    }
    out += "?>";
}

// The void elements of HTML, which have neither content nor an end tag.
constexpr std::string_view kVoid =
    " area base br col embed hr img input link meta source track wbr ";

void append_html_end(std::string& out, const xmlNode* node) {
    out.append("</").append(view(node->name)).append(">");
}

bool append_html_start(std::string& out, const xmlNode* node) {
    if (node->type == XML_TEXT_NODE) {
        const std::string_view parent = view(node->parent->name);
        if (parent == "script" || parent == "style")
            out += view(node->content);
        else
            append_text(out, view(node->content));
    }
    if (node->type != XML_ELEMENT_NODE) return false;
    out.append("<").append(view(node->name));
    append_attributes(out, node->properties);
    out += '>';
    if (node->children != nullptr) return true;
    if (kVoid.find(" " + std::string(view(node->name)) + " ") == kVoid.npos)
        append_html_end(out, node);
    return false;
}

// Appends the node up to its children. True if it has some, which come before the end tag.
bool append_start(std::string& out, const xmlNode* node) {
    switch (node->type) {
        case XML_ELEMENT_NODE:
            out += '<';
            append_name(out, node->ns, node->name);
            append_namespaces(out, node->nsDef);
            append_attributes(out, node->properties);
            out += node->children == nullptr ? "/>" : ">";
            return node->children != nullptr;
        case XML_TEXT_NODE:
        case XML_CDATA_SECTION_NODE: append_text(out, view(node->content)); return false;
        case XML_COMMENT_NODE:
            out += "<!--";
            append_apart(out, view(node->content), '-', '-');
            out += "-->";
            return false;
        case XML_PI_NODE: append_instruction(out, node); return false;
        default: return false;
    }
}

void append_end(std::string& out, const xmlNode* node) {
    out += "</";
    append_name(out, node->ns, node->name);
    out += '>';
}

template <auto start, auto end>
void append_tree(std::string& out, const xmlNode* root) {
    const xmlNode* node = root;
    for (;;) {
        if (start(out, node)) {
            node = node->children;
            continue;
        }
        while (node != root && node->next == nullptr) {
            node = node->parent;
            end(out, node);
        }
        if (node == root) return;
        node = node->next;
    }
}

}  // namespace

void append_node(std::string& out, const xmlNode* root) {
    append_tree<append_start, append_end>(out, root);
}

std::string html_text(const xmlDoc* result) {
    std::string out = "<!DOCTYPE html>\n";
    for (const xmlNode* node = result->children; node != nullptr; node = node->next)
        append_tree<append_html_start, append_html_end>(out, node);
    return out + '\n';
}

std::string indented(const xmlNode* element) {
    const DocumentHandle copy = document_of(element);
    const BufferHandle text(xmlBufferCreate());
    if (!text || xmlNodeDump(text.get(), copy.get(), xmlDocGetRootElement(copy.get()), 0, 1) < 0)
        throw std::bad_alloc();
    return std::string(view(xmlBufferContent(text.get())));
}

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
