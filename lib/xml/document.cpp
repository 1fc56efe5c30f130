// SPDX-License-Identifier: MIT
#include "xml/document.h"

#include <fmt/format.h>
#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "base/file.h"
#include "xml/guard.h"

namespace oai::xml {
namespace {

constexpr std::size_t kMaxBytes = 64U << 20U;

// What the parser's callbacks report, through xmlParserCtxt::_private.
struct ParseReport {
    int doctype_line = 0;  // of one that is refused; 0: none
    int error_line = 0;    // of the first error, since later ones usually follow from it; 0: none
    std::array<char, 300> error{};
};

// Stops the parser at a DOCTYPE, before it reads any of its declarations.
void refuse_doctype(void* context, const xmlChar*, const xmlChar*, const xmlChar*) noexcept {
    auto* parser = static_cast<xmlParserCtxt*>(context);
    static_cast<ParseReport*>(parser->_private)->doctype_line = parser->input->line;
    xmlStopParser(parser);
}

// The same for one that refers to something outside of the document.
void refuse_reference(void* context, const xmlChar* name, const xmlChar* public_id,
                      const xmlChar* system_id) noexcept {
    if (public_id != nullptr || system_id != nullptr)
        refuse_doctype(context, name, public_id, system_id);
    else
        xmlSAX2InternalSubset(context, name, public_id, system_id);
}

void declare_entity(void* context, const xmlChar* name, int type, const xmlChar* public_id,
                    const xmlChar* system_id, xmlChar* content) noexcept {
    if (type != XML_INTERNAL_GENERAL_ENTITY)
        refuse_doctype(context, name, public_id, system_id);
    else
        xmlSAX2EntityDecl(context, name, type, public_id, system_id, content);
}

void keep_first(void* context, xmlErrorPtr error) noexcept {
    auto* report = static_cast<ParseReport*>(static_cast<xmlParserCtxt*>(context)->_private);
    if (error->level != XML_ERR_WARNING && error->message != nullptr && report->error_line == 0) {
        report->error_line = std::max(error->line, 1);
        std::strncpy(report->error.data(), error->message, report->error.size() - 1);
    }
}

[[noreturn]] void fail(const std::string& name, int line, std::string_view message) {
    while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
    throw Error(fmt::format("{}:{}: {}", name, line, message));
}

std::string_view guarded(std::string_view bytes, const std::string& name) {
    Guard guard;
    try {
        return guard.pass(bytes);
    } catch (const Error& e) {
        fail(name, static_cast<int>(guard.line()), e.what());
    }
}

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

DocumentHandle parse_memory(std::string_view bytes, const std::string& name, xmlDict* dictionary,
                            Entities entities) {
    if (bytes.size() > kMaxBytes) fail(name, 1, fmt::format("longer than {} bytes", kMaxBytes));
    bytes = guarded(bytes, name);
    const ParserHandle parser(xmlNewParserCtxt());
    if (!parser) throw std::bad_alloc();
    if (dictionary != nullptr) {
        xmlDictFree(parser->dict);
        parser->dict = dictionary;
        xmlDictReference(dictionary);
    }
    ParseReport report;
    parser->_private = &report;
    parser->sax->internalSubset = refuse_doctype;
    parser->sax->serror = keep_first;
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA |
                  XML_PARSE_BIG_LINES;
    if (entities == Entities::of_the_document) {
        parser->sax->internalSubset = refuse_reference;
        parser->sax->entityDecl = declare_entity;
        options |= XML_PARSE_NOENT;
    }
    DocumentHandle document(xmlCtxtReadMemory(parser.get(), bytes.data(),
                                              static_cast<int>(bytes.size()), name.c_str(), nullptr,
                                              options));
    if (report.doctype_line != 0)
        fail(name, report.doctype_line,
             entities == Entities::predefined ? "a DOCTYPE is not allowed"
                                              : "a DOCTYPE may only declare entities of text");
    if (!document ||
        report.error_line != 0) {  // libxml2 returns a document despite an undeclared prefix
        fail(name, std::max(report.error_line, 1),
             report.error_line != 0 ? report.error.data() : "not well-formed XML");
    }
    return document;
}

DocumentHandle parse_memory(std::string_view bytes, const std::string& name) {
    return parse_memory(bytes, name, nullptr);
}

std::string read_file(const std::string& path) try {
    return read_regular_file(path, kMaxBytes);
} catch (const std::runtime_error& e) {
    throw Error(e.what());
}

DocumentHandle parse_file(const std::string& path) { return parse_memory(read_file(path), path); }

std::string root_namespace(const xmlDoc* document) {
    const xmlNode* root = xmlDocGetRootElement(document);
    return root == nullptr || root->ns == nullptr ? ""
                                                  : reinterpret_cast<const char*>(root->ns->href);
}

std::string root_name(const xmlDoc* document) {
    const xmlNode* root = xmlDocGetRootElement(document);
    return root == nullptr ? "" : reinterpret_cast<const char*>(root->name);
}

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
