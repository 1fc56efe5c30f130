// SPDX-License-Identifier: MIT
#include "xml/excerpt.h"

#include <new>

#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai::xml {
namespace {

bool declares(const xmlNode* element, const xmlChar* prefix) {
    for (const xmlNs* ns = element->nsDef; ns != nullptr; ns = ns->next)
        if (xmlStrEqual(ns->prefix, prefix) != 0) return true;
    return false;
}

// Whether the element or one below it has no namespace while no element of the excerpt around it
// declares a default namespace. The parser bounds the depth of the recursion.
bool lacks_namespace(const xmlNode* element) {
    if (declares(element, nullptr)) return false;
    if (element->ns == nullptr) return true;
    for (const xmlNode* n = element->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE && lacks_namespace(n)) return true;
    return false;
}

void declare(xmlNode* element, const xmlChar* address, const xmlChar* prefix) {
    if (xmlNewNs(element, address, prefix) == nullptr) throw std::bad_alloc();
}

// Declares on `copy` the namespaces of the ancestors of `original` whose prefix occurs in the text.
// Returns whether there were any.
bool declare_mentioned(xmlNode* copy, const xmlNode* original, const std::string& text) {
    const NamespaceList above(xmlGetNsList(original->doc, original));
    bool any = false;
    for (xmlNs** ns = above.get(); ns != nullptr && *ns != nullptr; ++ns) {
        const xmlChar* prefix = (*ns)->prefix;
        if (prefix == nullptr || declares(copy, prefix)) continue;
        if (text.find(std::string(reinterpret_cast<const char*>(prefix)) + ":") == text.npos)
            continue;
        declare(copy, (*ns)->href, prefix);
        any = true;
    }
    return any;
}

}  // namespace

std::string excerpt(const xmlNode* element) {
    const DocumentHandle document(xmlNewDoc(nullptr));
    if (!document) throw std::bad_alloc();
    xmlNode* const copy = xmlDocCopyNode(const_cast<xmlNode*>(element), document.get(), 1);
    if (copy == nullptr) throw std::bad_alloc();
    xmlDocSetRootElement(document.get(), copy);
    if (lacks_namespace(copy)) declare(copy, reinterpret_cast<const xmlChar*>(""), nullptr);
    std::string out;
    append_node(out, copy);
    if (!declare_mentioned(copy, element, out)) return out;
    out.clear();
    append_node(out, copy);
    return out;
}

}  // namespace oai::xml
