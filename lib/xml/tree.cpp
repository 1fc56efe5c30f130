// SPDX-License-Identifier: MIT
#include "xml/tree.h"

#include <libxml/parserInternals.h>

#include <cstring>
#include <new>
#include <string>

#include "xml/document.h"

namespace oai::xml {
namespace {

template <class Node>
Node* allocate(xmlElementType type, const xmlChar* name) {
    auto* node = static_cast<Node*>(xmlMalloc(sizeof(Node)));
    if (node == nullptr) throw std::bad_alloc();
    std::memset(node, 0, sizeof(Node));
    node->type = type;
    node->name = name;
    return node;
}

// The caller must link the node at once, since nothing owns it until then.
xmlNode* make_text(xmlDoc* document, std::string_view value) {
    std::unique_ptr<xmlNode, FreeMemory> node(allocate<xmlNode>(XML_TEXT_NODE, xmlStringText));
    node->doc = document;
    constexpr std::size_t inline_bytes =
        2 * sizeof(void*);  // size of the fields properties and psvi, which text nodes do not use
                            // (as in SAX2.c of libxml2)
    if (value.size() < inline_bytes) {
        node->content = reinterpret_cast<xmlChar*>(&node->properties);
    } else {
        node->content = static_cast<xmlChar*>(xmlMallocAtomic(value.size() + 1));
        if (node->content == nullptr) throw std::bad_alloc();
        node->content[value.size()] = 0;
    }
    std::memcpy(node->content, value.data(), value.size());
    return node.release();
}

void link(xmlNode* parent, xmlNode* node) {
    node->parent = parent;
    node->prev = parent->last;
    (parent->last == nullptr ? parent->children : parent->last->next) = node;
    parent->last = node;
}

}  // namespace

DocumentHandle new_document() {
    DocumentHandle document(xmlNewDoc(nullptr));
    if (!document || (document->dict = xmlDictCreate()) == nullptr) throw std::bad_alloc();
    return document;
}

const xmlChar* intern(xmlDoc* document, std::string_view name) {
    const xmlChar* interned =
        xmlDictLookup(document->dict, reinterpret_cast<const xmlChar*>(name.data()),
                      static_cast<int>(name.size()));
    if (interned == nullptr) throw std::bad_alloc();
    return interned;
}

xmlNode* add_element(xmlNode* parent, const xmlChar* name) {
    auto* node = allocate<xmlNode>(XML_ELEMENT_NODE, name);
    node->doc = parent->doc;
    link(parent, node);
    return node;
}

xmlNode* add_text(xmlNode* parent, std::string_view value) {
    xmlNode* node = make_text(parent->doc, value);
    link(parent, node);
    return node;
}

xmlAttr* add_attribute(xmlNode* element, xmlAttr* last, const xmlChar* name,
                       std::string_view value) {
    auto* attribute = allocate<xmlAttr>(XML_ATTRIBUTE_NODE, name);
    attribute->doc = element->doc;
    attribute->parent = element;
    attribute->prev = last;
    (last == nullptr ? element->properties : last->next) = attribute;
    xmlNode* text = make_text(element->doc, value);
    text->parent = reinterpret_cast<xmlNode*>(attribute);
    attribute->children = attribute->last = text;
    return attribute;
}

void add_parsed(xmlNode* parent, const xmlChar* name, std::string_view content) {
    const std::string_view tag(reinterpret_cast<const char*>(name));
    if (const std::size_t end = content.find("?>");
        content.starts_with("<?xml ") && end != std::string_view::npos)
        content.remove_prefix(end + 2);
    std::string wrapped;
    wrapped.append("<").append(tag).append(">").append(content).append("</").append(tag).append(
        ">");
    const DocumentHandle parsed = parse_memory(wrapped, std::string(tag), parent->doc->dict);
    xmlNode* copy = xmlDocCopyNode(xmlDocGetRootElement(parsed.get()), parent->doc, 1);
    if (copy == nullptr) throw std::bad_alloc();
    xmlAddChild(parent, copy);
}

DocumentHandle document_of(const xmlNode* element) {
    DocumentHandle document(xmlNewDoc(nullptr));
    if (!document) throw std::bad_alloc();
    xmlNode* copy = xmlDocCopyNode(const_cast<xmlNode*>(element), document.get(), 1);
    if (copy == nullptr) throw std::bad_alloc();
    xmlDocSetRootElement(document.get(), copy);
    const NamespaceList declarations(xmlGetNsList(element->doc, const_cast<xmlNode*>(element)));
    for (xmlNs* const* ns = declarations.get(); ns != nullptr && *ns != nullptr; ++ns) {
        const bool is_default =
            (*ns)->prefix == nullptr;  // prefixes in values do not need it, and it would apply to
                                       // elements without a namespace
        if (!is_default)
            xmlNewNs(copy, (*ns)->href,
                     (*ns)->prefix);  // does nothing if `copy` declares the prefix already
    }
    return document;
}

}  // namespace oai::xml
